import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const CASES = Number(process.env.ATRIUM_TEST_AUDIENCES ?? 30);
const atrium = await startAtrium();
const person = (email: string) => signIn(atrium, email);
const ada = await person('ada.okafor@northwind.example');
const carla = await person('carla.mendes@northwind.example');
const emi = await person('emi.tanaka@northwind.example');
const say = (json: object) =>
  atrium.call('POST', '/v1/chat/bots/message', {
    json: { bot_userid: 'bot_helpdesk', channel_url: 'demo-bot', ...json },
  });

test('a bot is made from the documented form, and the answer has its address as bot_callback_url', async () => {
  const form = {
    bot_nickname: 'Coach',
    bot_type: 'learning',
    bot_profile_url: 'https://northwind.example/c.png',
    global_audience: '0',
    active: '1',
  };
  const reply = await atrium.call('POST', '/v1/chat/bots', {
    form: { ...form, 'audience[type]': 'spaces', 'audience[spaces][0]': '3', 'audience[spaces][1]': '1' },
  });
  assert.equal(reply.status, 201);
  const { bot_userid, audience, bot_callback_url, active } = reply.body.data;
  assert.match(bot_userid, /^bot_[\w-]{16}$/);
  assert.deepEqual([audience, bot_callback_url, active], [{ is_global: false, teams: [], spaces: [1, 3] }, null, true]);
});

test('an audience that names nobody, or what does not exist, is a 400 with the field', async () => {
  const bot = { bot_nickname: 'Nobody’s', bot_type: 'learning' };
  const path = async (more: object) => {
    const { status, body } = await atrium.call('POST', '/v1/chat/bots', { json: { ...bot, ...more } });
    return [status, body.meta.errors[0].path];
  };
  assert.deepEqual(await path({}), [400, 'global_audience']);
  assert.deepEqual(await path({ global_audience: 0 }), [400, 'audience']);
  assert.deepEqual(await path({ global_audience: 0, audience: { type: 'teams', teams: [] } }), [400, 'audience.teams']);
  assert.deepEqual(await path({ global_audience: 0, audience: { type: 'teams', teams: [99_999] } }), [
    400,
    'audience_team_id',
  ]);
  assert.equal((await atrium.rows(`select from bots where bot_nickname = 'Nobody’s'`)).length, 0);
});

test('replacing keeps the audience, the state and the address when they are omitted', async () => {
  const path = '/v1/chat/bots/bot_sales';
  const before = (await atrium.call('GET', path)).body.data;
  const after = (await atrium.call('PUT', path, { json: { bot_nickname: 'Sales trainer', bot_type: 'learning' } })).body
    .data;
  assert.deepEqual(
    [after.audience, after.active, after.bot_nickname],
    [before.audience, before.active, 'Sales trainer'],
  );
});

test('text, quick replies and cards are answered with channel_url beside data, which is JSON text', async () => {
  const text = await say({ type: 'message', message: 'Hello.' });
  assert.deepEqual(
    [text.status, text.body.status, text.body.channel_url, typeof text.body.data],
    [200, 'success', 'demo-bot', 'string'],
  );
  assert.equal(JSON.parse(text.body.data).text, 'Hello.');
  const replies = [{ label: 'Yes', message: 'Yes, please.' }];
  assert.deepEqual(JSON.parse((await say({ type: 'quick_reply', message: 'More?', replies })).body.data).data, {
    type: 'quick_reply',
    replies,
  });
  const cards = [
    {
      cardTitle: 'A whole prompt. '.repeat(125),
      cardDescription: 'Saturday',
      cardImage: 'https://northwind.example/s.png',
      buttons: [
        { label: 'Take it'.padEnd(255, '!'), message: 'I take it.' },
        { label: 'Plan', link: 'https://northwind.example/plan' },
      ],
    },
  ];
  assert.deepEqual(JSON.parse((await say({ type: 'card', cards })).body.data).data, { type: 'card', cards });
  const last = (await emi.call('GET', '/v1/chat/channels/demo-bot/messages')).body.data[0];
  assert.deepEqual([last.bot.bot_userid, last.user, last.data.cards], ['bot_helpdesk', null, cards]);
});

test('what a type needs and does not get is named with its path, and nothing is sent', async () => {
  const before = (await atrium.rows('select from chat_messages')).length;
  const wrong: [object, string][] = [
    [{ type: 'message' }, 'message'],
    [{ type: 'quick_reply', message: 'x' }, 'replies'],
    [{ type: 'quick_reply', replies: [{ label: 'a' }] }, 'replies[0].message'],
    [{ type: 'card', cards: [] }, 'cards'],
    [
      {
        type: 'card',
        cards: [
          {
            buttons: [
              { label: 'a', message: 'b' },
              { label: 'c', link: 'nowhere' },
            ],
          },
        ],
      },
      'cards[0].buttons[1].link',
    ],
    [{ type: 'card', cards: [{ buttons: [{ label: 'a', link: 'javascript:alert(1)' }] }] }, 'cards[0].buttons[0].link'],
    [{ type: 'card', cards: [{ buttons: [{ label: 'a' }] }] }, 'cards[0].buttons[0]'],
    [{ type: 'image' }, 'file'],
    [{ type: 'image', file: 'https://northwind.example/x.png' }, 'file'],
    [{ type: 'dance', message: 'x' }, 'type'],
    [{ type: 'message', message: 'x', bot_userid: 'bot_unknown' }, 'bot_userid'],
    [{ type: 'message', message: 'x', channel_url: 'nowhere' }, 'channel_url'],
  ];
  for (const [json, path] of wrong) {
    const reply = await say(json);
    assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, path], JSON.stringify(json));
  }
  assert.equal((await atrium.rows('select from chat_messages')).length, before);
});

const png = await sharp({ create: { width: 4, height: 4, channels: 3, background: '#0f766e' } })
  .png()
  .toBuffer();
const upload = (type: string, field: string, bytes: Buffer, name: string, more: Record<string, string> = {}) => {
  const form = new FormData();
  for (const [key, value] of Object.entries({ bot_userid: 'bot_helpdesk', channel_url: 'demo-bot', type, ...more }))
    form.append(key, value);
  form.append(field, new Blob([new Uint8Array(bytes)]), name);
  return atrium.call('POST', '/v1/chat/bots/message', { form });
};

test(`an image, a file and a video are sent as the file itself; the employee reads them at signed \
addresses`, async () => {
  const reply = await upload('image', 'file', png, 'plan.png', { message: 'The plan.' });
  assert.deepEqual(reply.body.meta, {}, 'files are documented as multipart');
  const sent = JSON.parse(reply.body.data);
  assert.deepEqual(
    [sent.type, sent.text, sent.files[0].file_name, sent.files[0].content_type],
    ['FILE', 'The plan.', 'plan.png', 'image/png'],
  );
  assert.equal(
    JSON.parse((await upload('file', 'files[0]', Buffer.from('a,b'), 'list.csv')).body.data).files[0].byte_size,
    3,
  );
  const seen = (await emi.call('GET', '/v1/chat/channels/demo-bot/messages')).body.data[1].files[0];
  const url = new URL(seen.url);
  const file = await fetch(atrium.url + url.pathname + url.search);
  assert.deepEqual(Buffer.from(await file.arrayBuffer()), png);
});

test('a file that is not what its type says is refused with its field, and leaves nothing', async () => {
  const before = await atrium.rows(
    'select (select count(*) from assets) as assets, (select count(*) from chat_messages) as messages',
  );
  for (const [type, field] of [
    ['image', 'image'],
    ['video', 'video'],
    ['video', 'file'],
  ] as const) {
    const reply = await upload(type, field, Buffer.from('no picture'), 'x.bin');
    assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, field]);
  }
  assert.deepEqual(
    await atrium.rows(
      'select (select count(*) from assets) as assets, (select count(*) from chat_messages) as messages',
    ),
    before,
  );
});

test('an employee sends files, and deleting the message removes them', async () => {
  const form = new FormData();
  form.append('files[0]', new Blob([new Uint8Array(png)]), 'shelf.png');
  const sent = (await emi.call('POST', '/v1/chat/channels/demo-bot/messages', { form })).body.data;
  assert.deepEqual([sent.type, sent.text, sent.files.length], ['FILE', '', 1]);
  await emi.call('DELETE', `/v1/chat/channels/demo-bot/messages/${sent.message_id}`);
  await atrium.drain();
  assert.deepEqual(await atrium.rows('select id from assets where id = $1', [sent.files[0].asset_id]), []);
});

test('a bot speaks only where it belongs', async () => {
  const send = (bot_userid: string, channel_url: string) =>
    atrium.call('POST', '/v1/chat/bots/message', {
      json: { bot_userid, channel_url, type: 'message', message: 'psst' },
    });
  assert.equal((await send('bot_sales', 'demo-bot')).body.code, 'bot_not_in_channel');
  assert.equal((await send('bot_sales', 'demo-group')).body.code, 'bot_not_in_channel');
  assert.equal((await send('bot_helpdesk', 'demo-group')).status, 200);
});

test('there is one channel for a bot and a person, also when twenty ask at once', async () => {
  const replies = await Promise.all(
    Array.from({ length: 20 }, () =>
      atrium.call('POST', '/v1/chat/bots/channels', { form: { bot_userid: 'bot_helpdesk', user_id: '2' } }),
    ),
  );
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
  assert.equal(new Set(replies.map(({ body }) => body.channel_url)).size, 1);
  assert.equal(replies[0]?.body.channel_url, replies[0]?.body.data.channel_url);
  const mine = await emi.call('POST', '/v1/chat/channels', { json: { type: 'bot', bot_userid: 'bot_helpdesk' } });
  assert.equal(mine.body.data.channel_url, 'demo-bot', 'the person opens the same one');
});

test('who is outside the audience is refused, and the field is named', async () => {
  const reply = await atrium.call('POST', '/v1/chat/bots/channels', {
    json: { bot_userid: 'bot_sales', user_id: carla.user.id },
  });
  assert.deepEqual(
    [reply.status, reply.body.code, reply.body.meta.errors[0].path],
    [403, 'bot_not_visible', 'user_id'],
  );
  const own = await carla.call('POST', '/v1/chat/channels', { json: { type: 'bot', bot_userid: 'bot_sales' } });
  assert.deepEqual([own.status, own.body.code], [400, 'bot_not_found']);
});

test('only a global bot joins a group', async () => {
  const { channel_url } = (await ada.call('POST', '/v1/chat/channels', { json: { type: 'group', user_ids: [5] } })).body
    .data;
  const patch = (bot: string) =>
    atrium.call('PATCH', `/v1/chat/channels/${channel_url}/members`, { json: { bot_userids_to_add: [bot] } });
  assert.deepEqual(
    [(await patch('bot_sales')).body.code, (await patch('bot_nobody')).body.code],
    ['bot_not_global', 'bot_not_found'],
  );
  const added = await patch('bot_helpdesk');
  assert.deepEqual([added.body.meta.bots_added, added.body.data.bots[0].bot_userid], [1, 'bot_helpdesk']);
  await atrium.rows(
    `insert into bots (organisation_id, bot_userid, bot_nickname, bot_type, is_global, created_at, updated_at)
     select 1, 'bot_of_many_' || n, 'One of many', 'learning', true, now(), now() from generate_series(1, 20) n`,
  );
  const bot_userids_to_add = Array.from({ length: 20 }, (_, n) => `bot_of_many_${n + 1}`);
  const full = await atrium.call('PATCH', `/v1/chat/channels/${channel_url}/members`, { json: { bot_userids_to_add } });
  assert.deepEqual([full.status, full.body.code], [409, 'too_many_members']);
  assert.equal(
    (await atrium.call('GET', `/v1/chat/channels/${channel_url}`)).body.data.bots.length,
    1,
    'none of them joined',
  );
});

test('an inactive bot is not listed to employees, gets nothing and says nothing; its history stays', async () => {
  const bot = (
    await atrium.call('POST', '/v1/chat/bots', {
      json: { bot_nickname: 'Quiet', bot_type: 'learning', global_audience: 1 },
    })
  ).body.data;
  const { channel_url } = (
    await emi.call('POST', '/v1/chat/channels', { json: { type: 'bot', bot_userid: bot.bot_userid } })
  ).body.data;
  const message = { bot_userid: bot.bot_userid, channel_url, type: 'message', message: 'Once.' };
  await atrium.call('POST', '/v1/chat/bots/message', { json: message });
  await atrium.call('PUT', `/v1/chat/bots/${bot.bot_userid}`, {
    json: { bot_nickname: 'Quiet', bot_type: 'learning', active: 0 },
  });
  const listed = (await emi.call('GET', '/v1/chat/bots')).body.data.map(
    ({ bot_userid }: { bot_userid: string }) => bot_userid,
  );
  assert.ok(!listed.includes(bot.bot_userid) && listed.includes('bot_helpdesk'));
  assert.equal((await atrium.call('POST', '/v1/chat/bots/message', { json: message })).body.code, 'bot_inactive');
  const sent = await emi.call('POST', `/v1/chat/channels/${channel_url}/messages`, { json: { message: 'hello?' } });
  assert.deepEqual([sent.status, sent.body.code], [409, 'bot_inactive']);
  assert.equal((await emi.call('GET', `/v1/chat/channels/${channel_url}/messages`)).body.data[0].text, 'Once.');
});

test('a deleted bot is gone for everybody, and its channel from employees’ lists', async () => {
  const bot = (
    await atrium.call('POST', '/v1/chat/bots', {
      json: { bot_nickname: 'Brief', bot_type: 'learning', global_audience: 1 },
    })
  ).body.data;
  const { channel_url } = (
    await emi.call('POST', '/v1/chat/channels', { json: { type: 'bot', bot_userid: bot.bot_userid } })
  ).body.data;
  assert.equal((await atrium.call('DELETE', `/v1/chat/bots/${bot.bot_userid}`)).status, 200);
  assert.equal((await atrium.call('DELETE', `/v1/chat/bots/${bot.bot_userid}`)).status, 404);
  assert.equal((await atrium.call('GET', `/v1/chat/bots/${bot.bot_userid}`)).status, 404);
  assert.equal((await emi.call('GET', `/v1/chat/channels/${channel_url}`)).status, 404);
});

test('employees see bots without their addresses and change none; speaking as a bot needs the role', async () => {
  const seen = (await emi.call('GET', '/v1/chat/bots/bot_helpdesk')).body.data;
  assert.equal(seen.bot_callback_url, null);
  assert.equal((await emi.call('DELETE', '/v1/chat/bots/bot_helpdesk')).status, 403);
  assert.equal(
    (await emi.call('POST', '/v1/chat/bots', { json: { bot_nickname: 'x', bot_type: 'learning', global_audience: 1 } }))
      .status,
    403,
  );
  assert.equal(
    (
      await emi.call('POST', '/v1/chat/bots/message', {
        json: { bot_userid: 'bot_helpdesk', channel_url: 'demo-bot', type: 'message', message: 'I am a bot' },
      })
    ).status,
    403,
  );
});

test('an employee’s own key neither makes a bot nor speaks as one, whatever scopes it has', async () => {
  const scopes = ['chats.bots.write', 'chats.message.write', 'chats.bots.read'];
  const made = await emi.call('POST', '/v1/keys', { json: { name: 'Mine', scopes } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const key = made.body.data.api_key as string;
  const attempts: [string, string, object][] = [
    ['POST', '/v1/chat/bots', { bot_nickname: 'x', bot_type: 'learning', global_audience: 1 }],
    [
      'POST',
      '/v1/chat/bots/message',
      { bot_userid: 'bot_helpdesk', channel_url: 'demo-bot', type: 'message', message: 'I am a bot' },
    ],
    ['POST', '/v1/chat/bots/channels', { bot_userid: 'bot_helpdesk', user_id: 2 }],
    ['POST', '/v1/chat/callback-keys', {}],
  ];
  for (const [method, path, json] of attempts) {
    const { status, body } = await atrium.call(method, path, { key, json });
    assert.deepEqual([status, body.meta.required_roles], [403, ['developer', 'admin']], path);
  }
  assert.equal((await atrium.call('GET', '/v1/chat/bots/bot_helpdesk', { key })).body.data.bot_callback_url, null);
});

test('what was said last is shown to nobody who may not read it', async () => {
  const { api_key } = (
    await ada.call('POST', '/v1/admin/apps/1/keys', {
      json: { name: 'x', scopes: ['chats.channels.read', 'chats.bots.write'] },
    })
  ).body.data;
  const open = { bot_userid: 'bot_helpdesk', user_id: emi.user.id };
  const shown = [
    ...(await atrium.call('GET', '/v1/chat/channels?take=100', { key: api_key })).body.data,
    (await atrium.call('GET', '/v1/chat/channels/demo-bot', { key: api_key })).body.data,
    (
      await atrium.call('POST', '/v1/chat/bots/channels', {
        key: api_key,
        form: { ...open, user_id: String(emi.user.id) },
      })
    ).body.data,
    (await ada.call('POST', '/v1/chat/bots/channels', { json: open })).body.data,
  ];
  assert.ok(shown.length > 4);
  for (const { last_message, channel_url } of shown) assert.equal(last_message, null, channel_url);
  assert.ok((await emi.call('GET', '/v1/chat/channels/demo-bot')).body.data.last_message);
});

test(`over ${CASES} random audiences and memberships, a bot is listed, opened, \
messaged and heard exactly by its audience`, async () => {
  let seed = Number(process.env.ATRIUM_TEST_SEED ?? 20261121);
  const random = (below: number) => {
    // Numerical Recipes' linear congruential generator: the same cases for the same seed.
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed % below;
  };
  const pick = (from: readonly number[]) => from.filter(() => random(2) === 0);
  const [teams, spaces] = [
    [1, 2, 3],
    [1, 2, 3, 4],
  ];
  const bot = (
    await atrium.call('POST', '/v1/chat/bots', {
      json: { bot_nickname: 'Property', bot_type: 'learning', global_audience: 1 },
    })
  ).body.data;
  const body = { bot_nickname: 'Property', bot_type: 'learning' };
  const opened = await emi.call('POST', '/v1/chat/channels', { json: { type: 'bot', bot_userid: bot.bot_userid } });
  const { channel_url } = opened.body.data;
  let [inside, outside] = [0, 0];
  for (let n = 0; n < CASES; n++) {
    const mine = { teams: pick(teams), spaces: pick(spaces) };
    await atrium.rows('delete from team_members where user_id = $1', [emi.user.id]);
    await atrium.rows('delete from space_members where user_id = $1', [emi.user.id]);
    await atrium.rows(
      `insert into team_members (organisation_id, team_id, user_id, created_at)
       select 1, t, $1, now() from unnest($2::bigint[]) t`,
      [emi.user.id, mine.teams],
    );
    await atrium.rows(
      `insert into space_members (organisation_id, space_id, user_id, created_at)
       select 1, s, $1, now() from unnest($2::bigint[]) s`,
      [emi.user.id, mine.spaces],
    );
    const type = (['global', 'teams', 'spaces'] as const)[random(3)] ?? 'global';
    const ids = type === 'global' ? [] : [...new Set([1 + random(3), ...pick(type === 'teams' ? teams : spaces)])];
    const json =
      type === 'global'
        ? { ...body, global_audience: 1 }
        : { ...body, global_audience: 0, audience: { type, [type]: ids } };
    assert.equal((await atrium.call('PUT', `/v1/chat/bots/${bot.bot_userid}`, { json })).status, 200);
    const expected = type === 'global' || ids.some((id) => mine[type].includes(id));
    if (expected) inside++;
    else outside++;

    const seen = {
      listed: (await emi.call('GET', '/v1/chat/bots?take=100')).body.data.some(
        (each: { bot_userid: string }) => each.bot_userid === bot.bot_userid,
      ),
      read: (await emi.call('GET', `/v1/chat/bots/${bot.bot_userid}`)).status === 200,
      opened:
        (await emi.call('POST', '/v1/chat/channels', { json: { type: 'bot', bot_userid: bot.bot_userid } })).status ===
        201,
      openedByKey:
        (
          await atrium.call('POST', '/v1/chat/bots/channels', {
            json: { bot_userid: bot.bot_userid, user_id: emi.user.id },
          })
        ).status === 201,
      inChannels: (await emi.call('GET', '/v1/chat/channels?take=100&type=bot')).body.data.some(
        (each: { channel_url: string }) => each.channel_url === channel_url,
      ),
      history: (await emi.call('GET', `/v1/chat/channels/${channel_url}/messages`)).status === 200,
      messaged:
        (await emi.call('POST', `/v1/chat/channels/${channel_url}/messages`, { json: { message: 'hi' } })).status ===
        201,
      heard:
        (
          await atrium.call('POST', '/v1/chat/bots/message', {
            json: { bot_userid: bot.bot_userid, channel_url, type: 'message', message: 'hi' },
          })
        ).status === 200,
    };
    for (const [what, is] of Object.entries(seen))
      assert.equal(is, expected, `case ${n}, ${what}: ${JSON.stringify({ type, ids, mine })}`);
  }
  assert.ok(inside > 0 && outside > 0, `${inside} inside, ${outside} outside`);
});
