// What the client promises, wherever it runs: on every Node, in browsers, elsewhere. No test runner, no dependencies.
import { openChat } from '../chat.js';
import { AtriumError, createClient, signIn } from '../client.js';
import { changes, each } from '../lists.js';
import { reconcile } from '../reconcile.js';
import { uploadFile } from '../upload.js';

const equal = (given, expected, about = '') => {
  const [a, b] = [given, expected].map((value) => JSON.stringify(value));
  if (a !== b) throw new Error(`${about} ${a} is not ${b}`);
};
const fails = async (work) => {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
};
let names = 0;
const trouble = (times, what) => ({ headers: { 'x-trouble': `${Date.now()}-${++names} ${times} ${what}` } });
const cutUploads = { headers: { 'x-trouble': 'cut-uploads' } };
const nameIn = ({ headers }) => headers['x-trouble'].split(' ')[0];

/** `world` is what testing/world.ts gives. */
export function checksIn(world) {
  const waited = [];
  const options = {
    baseUrl: world.url,
    organisationId: world.organisation_id,
    wait: async (ms, signal) => {
      signal?.throwIfAborted();
      waited.push(ms);
    },
  };
  const atrium = createClient({ ...options, apiKey: world.api_key });
  const countOf = async (given) => Number(await (await fetch(`${world.url}/proxy/count?name=${nameIn(given)}`)).text());
  const externalId = (name) => `${name}-${world.run}-${++names}`;

  return {
    'a resource is created, read, replaced and deleted': async () => {
      const { data: goal } = await atrium.createGoal({ body: { title: 'Close to customers' } });
      equal((await atrium.getGoal({ id: goal.id })).data.title, 'Close to customers');
      await atrium.replaceGoal({ id: goal.id, body: { title: 'Closer' } });
      equal((await atrium.listGoals({ take: 1 })).meta.pagination.take, 1);
      equal((await atrium.deleteGoal({ id: goal.id })).data.id, goal.id);
      equal((await fails(atrium.getGoal({ id: goal.id }))).status, 404);
    },
    'forms carry lists, objects, line breaks, null and files as they are': async () => {
      const text = 'Zwei\nZeilen "mit" Zeichen: 你好';
      const gallery = [new Blob([Uint8Array.from(atob(world.png), (c) => c.charCodeAt(0))], { type: 'image/png' })];
      const audience = { type: 'spaces', spaces: [1] };
      const body = { text, audience, gallery, external_id: null, requires_acknowledgement: false };
      let left = 0;
      const onProgress = ({ sent }) => {
        left = sent;
      };
      const { data } = await atrium.createUpdate({ body }, { onProgress });
      equal(left > atob(world.png).length, true, 'progress');
      equal([data.text, data.audience.spaces[0].id, data.gallery.length, data.external_id], [text, 1, 1, null]);
      const users = await atrium.changeTeamUsersByExternalId({
        external_id: world.team,
        body: { external_ids_to_add: world.members },
      });
      equal(typeof users.meta.users_added, 'number');
    },
    'a refusal names status, code, fields and request': async () => {
      const error = await fails(atrium.createGoal({ body: { title: '' } }));
      equal(error instanceof AtriumError, true);
      const { name, operation, status, code, errors, isUncertain } = error;
      equal([name, operation, status, code], ['AtriumError', 'createGoal', 400, 'invalid_request']);
      equal([errors[0].path, typeof error.request_id, isUncertain], ['title', 'string', false]);
    },
    'what is thrown and handed out says nothing of the credential': async () => {
      const secret = 'key_of_somebody_else';
      const stranger = createClient({ ...options, apiKey: secret });
      const refused = await fails(stranger.listGoals());
      const cut = await fails(stranger.listGoals({}, { ...trouble(9, 'cut-before'), retries: 1 }));
      const late = await fails(stranger.listGoals({}, { ...trouble(9, 'hang'), timeoutMs: 50, retries: 0 }));
      equal([refused.status, cut.code, late.code], [401, 'unreachable', 'timeout']);
      for (const shown of [refused, cut, late, stranger])
        for (const text of [world.inspect(shown), JSON.stringify(shown), String(shown.stack), String(shown.cause)])
          equal(text?.includes(secret) ?? false, false, text);
    },
    'reads are tried again, after what Retry-After says; writes never': async () => {
      for (const what of ['429', '503', 'cut-before', 'cut-after']) {
        waited.length = 0;
        const twice = trouble(2, what);
        equal((await atrium.listGoals({}, twice)).status, 'success');
        equal(await countOf(twice), 3, what);
        if (/\d/.test(what)) equal(waited, [1000, 1000]);
      }
      const once = trouble(1, '503');
      const error = await fails(atrium.createGoal({ body: { title: 'Once' } }, once));
      equal([error.status, error.code, error.isUncertain, error.retryAfterMs], [503, 'http_503', true, 1000]);
      equal(await countOf(once), 1);
      const often = trouble(9, '429');
      equal([(await fails(atrium.listGoals({}, often))).status, await countOf(often)], [429, 4]);
    },
    'a signal ends a call that is under way, and the pause before the next attempt': async () => {
      const reason = new Error('Not needed any more.');
      const controller = new AbortController();
      const hanging = atrium.listGoals({}, { ...trouble(1, 'hang'), signal: controller.signal });
      controller.abort(reason);
      equal((await fails(hanging)) === reason, true);
      const pausing = createClient({ ...options, apiKey: world.api_key, wait: undefined });
      const other = new AbortController();
      const given = trouble(9, '429');
      const waiting = fails(pausing.listGoals({}, { ...given, signal: other.signal }));
      while ((await countOf(given)) === 0) await Promise.resolve();
      other.abort(reason);
      equal((await waiting) === reason, true);
      equal(await countOf(given), 1);
    },
    'each yields every row once, also while others come and go': async () => {
      const title = externalId('row');
      const made = [];
      for (let n = 0; n < 24; n++) made.push((await atrium.createUpdate({ body: { text: `${title} ${n}` } })).data.id);
      const stay = new Set(made.filter((_, n) => n % 4 !== 3));
      const goes = made.filter((_, n) => n % 4 === 3).toReversed();
      const seen = [];
      for await (const { id } of each(atrium.listUpdates, { take: 5 })) {
        seen.push(id);
        // Newest first: what goes was read already, so that all others move up.
        const gone = seen.length % 4 === 0 ? goes.find((one) => seen.includes(one)) : undefined;
        if (gone !== undefined) await atrium.deleteUpdate({ id: goes.splice(goes.indexOf(gone), 1)[0] });
        if (seen.length === 11) await atrium.createUpdate({ body: { text: 'New meanwhile' } });
      }
      equal(seen.length, new Set(seen).size, 'once');
      equal(
        [...stay].filter((id) => !seen.includes(id)),
        [],
        'missed',
      );
    },
    'changes come in order, and go on where the last one was': async () => {
      const { data: page } = await atrium.createPage({ body: { title: 'Followed', html_content: '' } });
      const all = [];
      for await (const change of changes(atrium, { types: ['page'], take: 2 })) all.push(change);
      equal(
        all.map(({ sequence }) => sequence),
        all.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
      );
      const after = all.at(-1).sequence;
      await atrium.deletePage({ id: page.id });
      const controller = new AbortController();
      const followed = changes(atrium, { types: ['page'], after, follow: true }, { signal: controller.signal });
      const { value } = await followed.next();
      equal([value.id, value.change, value.resource], [page.id, 'deleted', null]);
      const more = fails(followed.next());
      controller.abort(new Error('enough'));
      equal((await more).message, 'enough');
    },
    'after a create that was cut off, reconcile says whether it had happened': async () => {
      for (const [what, happened] of [
        ['cut-after', true],
        ['cut-before', false],
      ]) {
        const external_id = externalId('cut');
        const body = { text: 'Opening day', external_id };
        const given = trouble(1, what);
        const error = await atrium.createUpdate({ body }, given).catch((error) => error);
        // Browsers repeat by themselves what they sent on a connection that was used before.
        if (!world.isBrowser)
          equal([error.status, error.code, error.isUncertain, await countOf(given)], [0, 'unreachable', true, 1]);
        const outcome = await reconcile(atrium.getUpdateByExternalId, external_id, { settledMs: 30 });
        if (!world.isBrowser) equal(outcome.happened, happened);
        if (outcome.happened) equal((await fails(atrium.createUpdate({ body }))).code, 'external_id_taken');
        else equal((await atrium.createUpdate({ body })).data.external_id, external_id);
      }
    },
    'a large file goes on after a cut, with progress, and in another process': async () => {
      const bytes = new Uint8Array(world.upload_bytes).map((_, n) => n % 251);
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
      const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
      const told = [];
      const file = new Blob([bytes]);
      const fileName = 'tour.bin';
      const cuts = await countOf(cutUploads);
      const asset = await uploadFile(atrium, file, { fileName, sha256, onProgress: (progress) => told.push(progress) });
      equal([asset.file_name, asset.byte_size, asset.sha256, asset.state], [fileName, bytes.length, sha256, 'ready']);
      equal(told.at(-1), { sent: bytes.length, total: bytes.length });
      equal((await countOf(cutUploads)) - cuts, 1, 'it was cut once');

      const controller = new AbortController();
      const reason = new Error('The process ends.');
      let announced;
      const left = await fails(
        uploadFile(atrium, file, {
          signal: controller.signal,
          onAnnounced: (one) => {
            announced = JSON.stringify(one);
          },
          onProgress: ({ sent }) => sent > bytes.length / 3 && controller.abort(reason),
        }),
      );
      equal(left === reason, true, left.stack);
      const resumed = await uploadFile(atrium, file, { resume: JSON.parse(announced) });
      equal([resumed.id, resumed.sha256], [JSON.parse(announced).asset_id, sha256]);
    },
    'the chat comes back after a cut: nothing is missed, nothing comes twice': async () => {
      // Browsers keep one cookie for all pages of a host: one person at a time.
      const ada = await signIn(world.ada, options);
      const { data: channel } = await ada.openChannel({
        body: { type: 'group', user_ids: [world.ben_id], name: 'Cuts' },
      });
      const chat = openChat(ada, { WebSocket: world.WebSocket });
      const texts = [];
      const sending = [];
      for await (const event of chat) {
        if (event.event === 'ready' && sending.length === 0) sending.push(say(0));
        if (event.event !== 'message.created') continue;
        texts.push(event.message.text);
        const n = texts.length;
        if (n % 4 === 0) await fetch(`${world.url}/proxy/cut`);
        if (n < 12) sending.push(say(n));
        else break;
      }
      function say(n) {
        return chat.send({ channel_url: channel.channel_url, message: `line ${n}` });
      }
      equal(
        texts,
        Array.from({ length: 12 }, (_, n) => `line ${n}`),
      );
      equal((await Promise.allSettled(sending)).filter(({ status }) => status === 'rejected').length <= 1, true);
      const { meta } = await ada.listMessages({ channel_url: channel.channel_url, take: 1 });
      equal(meta.pagination.total_records, 12);

      const later = openChat(ada, { WebSocket: world.WebSocket, sequences: { [channel.channel_url]: 0 } });
      const refusal = await fails(later.ask('history', { channel_url: 'chat_of_nobody', before: 1 }));
      equal([refusal.operation, typeof refusal.code], ['history', 'string']);
      const again = [];
      for await (const event of later) {
        if (event.event === 'message.created') again.push(event.message.text);
        if (again.length === 12) break;
      }
      equal(again, texts);
    },
    'a chat that may not be opened ends with the refusal': async () => {
      const chat = openChat(atrium, { WebSocket: world.isBrowser ? undefined : world.WebSocket });
      if (world.isBrowser) return;
      const error = await fails(chat[Symbol.asyncIterator]().next());
      equal([error.operation, error.status, error.code], ['openChat', 403, 'forbidden']);
    },
  };
}

/** Runs all, one after the other: `[{ name, error }]`. */
export async function runChecks(world) {
  const results = [];
  for (const [name, run] of Object.entries(checksIn(world)))
    results.push(
      await run().then(
        () => ({ name }),
        (error) => ({ name, error: `${error.stack}` }),
      ),
    );
  return results;
}
