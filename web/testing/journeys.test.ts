import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UnauthorizedError } from '@modelcontextprotocol/client';
import { Assistant } from '../../server/testing/assistant.ts';
import { startAtrium } from '../../server/testing/atrium.ts';
import { noBrowser } from '../../server/testing/browser.ts';
import { answering, startReceiver } from '../../server/testing/receiver.ts';
import { PASSWORD } from '../../server/testing/world.ts';
import { accessibilityProblems, openBrowser, people, until, type Visit } from './browser.ts';
import { breakable } from './line.ts';

const skip = noBrowser;
const atrium = skip ? undefined : await startAtrium({ mcp: 'on' });

describe('what people do', { skip }, async () => {
  if (!atrium) return;
  const { visit, signedIn } = await openBrowser(atrium);

  test('a permalink that is opened signed out leads there after signing in, by keyboard alone', async () => {
    const { page, complaints } = await visit();
    await page.goto('/updates/1');
    await page.getByLabel('E-mail').waitFor();
    await page.keyboard.type(people.ben);
    await page.keyboard.press('Tab');
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('is wrong').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /^Update by/ }).waitFor();
    assert.match(await page.title(), /^Update by .* · Northwind Retail$/);
    assert.deepEqual(complaints(), []);
  });

  test('one posts, another reads it, likes it and answers; the first deletes it, and it is gone for both', async () => {
    const [ben, emi] = [await signedIn('ben'), await signedIn('emi')];
    await ben.page.goto('/');
    await ben.page.getByLabel('What do you want to say?').fill('The lift works again <b>now</b>.');
    await ben.page.getByRole('button', { name: 'Post' }).click();
    const posted = ben.page.getByRole('feed').getByRole('article').first();
    await posted.getByText('The lift works again <b>now</b>.').waitFor();
    const permalink = (await posted.getByRole('link', { name: 'No comments' }).getAttribute('href')) ?? '';

    await emi.page.goto(permalink);
    await emi.page.getByRole('button', { name: 'Like' }).click();
    await emi.page.getByText('1 reaction', { exact: true }).click();
    await emi.page.getByRole('listitem').getByRole('link', { name: 'Emi Tanaka' }).waitFor();
    await emi.page.getByLabel('Your comment').fill('At last!');
    await emi.page.getByRole('button', { name: 'Send' }).click();
    await emi.page.getByRole('feed').getByText('At last!').waitFor();
    await emi.page.reload();
    await emi.page.getByRole('button', { name: 'Like: 1', pressed: true }).focus();
    await emi.page.keyboard.press('ArrowRight');
    await emi.page.keyboard.press('ArrowRight');
    await emi.page.keyboard.press('Enter');
    await emi.page.getByRole('button', { name: 'Thank you: 1', pressed: true }).waitFor();
    await emi.page.getByRole('button', { name: 'Like: 0', pressed: false }).first().waitFor();
    await emi.page.getByRole('heading', { name: '1 comment' }).waitFor();
    await emi.page.getByRole('button', { name: 'Edit the comment by Emi Tanaka' }).press('Enter');
    await until(emi.page, `document.activeElement?.tagName === 'TEXTAREA'`);
    await emi.page.keyboard.type(' And quietly.');
    await emi.page.getByRole('button', { name: 'Save', exact: true }).click();
    await emi.page.getByRole('feed').getByText('At last! And quietly.').waitFor();
    assert.equal(await emi.page.getByRole('button', { name: 'Delete', exact: true }).count(), 0);

    await ben.page.goto(permalink);
    await ben.page.getByText('Emi Tanaka', { exact: true }).first().waitFor();
    await ben.page.getByRole('button', { name: 'Delete the comment by Emi Tanaka' }).waitFor();
    assert.equal(await ben.page.getByRole('button', { name: /^Edit/ }).count(), 0);
    await ben.page.getByRole('button', { name: 'Delete', exact: true }).click();
    const question = ben.page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Delete' }).click();
    await ben.page.waitForURL('/');
    await emi.page.reload();
    await emi.page.getByRole('heading', { level: 1, name: 'Not here' }).waitFor();
    assert.deepEqual([ben.complaints(), emi.complaints()], [[], []]);
  });

  test('what is begun survives a reload and goes on on another device, and neither overwrites the other', async () => {
    const [desk, phone] = [await signedIn('emi'), await signedIn('emi')];
    const field = (at: Visit) => at.page.getByLabel('What do you want to say?');
    const holds = (at: Visit, text: string) =>
      until(at.page, `document.querySelector('form.composer textarea')?.value === ${JSON.stringify(text)}`);
    const keeps = (at: Visit, text: string) =>
      until(
        at.page,
        `fetch('/v1/drafts/update').then((reply) => reply.json())
          .then(({ data }) => data?.fields.text === ${JSON.stringify(text)})`,
      );
    await desk.page.goto('/');
    await field(desk).fill('Half a thought');
    await desk.page.reload();
    await holds(desk, 'Half a thought');
    await keeps(desk, 'Half a thought');
    await phone.page.goto('/');
    await holds(phone, 'Half a thought');
    await field(phone).fill('Half a thought, finished');
    await keeps(phone, 'Half a thought, finished');
    await field(desk).fill('Half a thought, otherwise');
    const choice = desk.page.getByRole('region', { name: 'You have written something else' });
    await choice.getByText('Half a thought, finished').waitFor();
    assert.deepEqual(await accessibilityProblems(desk.page), []);
    await choice.getByRole('button', { name: 'Continue with that' }).click();
    await holds(desk, 'Half a thought, finished');
    const forgotten = desk.page.waitForResponse((response) => response.request().method() === 'DELETE');
    await desk.page.getByRole('button', { name: 'Post' }).click();
    await holds(desk, '');
    await forgotten;
    await phone.page.reload();
    await phone.page.getByRole('feed').getByText('Half a thought, finished').waitFor();
    await holds(phone, '');
    assert.deepEqual(phone.complaints(), []);
  });

  test('one asks, another votes by keys alone and sees the results only then', async () => {
    const [ben, emi] = [await signedIn('ben'), await signedIn('emi')];
    await ben.page.goto('/');
    await ben.page.getByLabel('What do you want to say?').fill('Where do we meet?');
    await ben.page.getByRole('button', { name: 'Add a poll' }).click();
    await ben.page.getByLabel('Answer 1', { exact: true }).fill('In the park');
    await ben.page.getByLabel('Answer 2', { exact: true }).fill('On the roof');
    await ben.page.getByRole('button', { name: 'Add an answer' }).click();
    await ben.page.getByLabel('Answer 3', { exact: true }).fill('At the lake');
    await ben.page.getByLabel('Last day').fill('2999-12-31');
    assert.deepEqual(await accessibilityProblems(ben.page), []);
    await ben.page.getByRole('button', { name: 'Post', exact: true }).click();
    const posted = ben.page.getByRole('feed').getByRole('article').first();
    await posted.getByRole('group', { name: 'Choose one answer' }).waitFor();
    const permalink = (await posted.getByRole('link', { name: 'No comments' }).getAttribute('href')) ?? '';

    await emi.page.goto(permalink);
    const poll = emi.page.getByRole('group', { name: 'Poll' });
    await poll.getByText('Nobody has voted yet').waitFor();
    assert.equal(await poll.getByRole('meter').count(), 0);
    await poll.getByRole('radio', { name: 'In the park' }).focus();
    await emi.page.keyboard.press('ArrowDown');
    await emi.page.keyboard.press('Tab');
    await emi.page.keyboard.press('Enter');
    await poll.getByText('1 vote · your vote').waitFor();
    assert.equal(await poll.getByRole('meter', { name: 'On the roof' }).getAttribute('value'), '1');
    assert.deepEqual(await accessibilityProblems(emi.page), []);
    await emi.page.reload();
    await poll.getByRole('button', { name: 'Change my vote' }).click();
    await poll.getByRole('radio', { name: 'On the roof', checked: true }).waitFor();
    assert.deepEqual([ben.complaints(), emi.complaints()], [[], []]);
  });

  test('what is saved for later is found under Saved, until it is taken out there', async () => {
    const { page, complaints } = await signedIn('ben');
    await page.goto('/kudos/1');
    await page.getByRole('button', { name: 'Save for later', pressed: false }).press('Enter');
    await page.getByRole('button', { name: 'Save for later', pressed: true }).waitFor();
    await page.goto('/');
    await page.getByRole('link', { name: 'Saved' }).click();
    await page.getByRole('feed').getByRole('article').getByText('Kudos', { exact: true }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole('button', { name: 'Save for later', pressed: true }).click();
    await page.getByRole('button', { name: 'Save for later', pressed: false }).waitFor();
    await page.reload();
    await page.getByText('Nothing is saved.').waitFor();
    assert.deepEqual(complaints(), []);
  });

  test('who is mentioned hears of it on every open page; on one it is opened, on both it is read', async () => {
    const [ben, emi, emisPhone] = [
      await signedIn('ben'),
      await signedIn('emi'),
      await signedIn('emi', { viewport: { width: 360, height: 740 } }),
    ];
    const bellOf = ({ page }: Visit, words: string) => page.getByRole('link', { name: words, exact: true });
    await atrium.drain();
    await atrium.drain();
    await emi.page.goto('/notifications');
    await emi.page.getByRole('button', { name: 'Mark all as read' }).click();
    await bellOf(emi, 'Notifications').waitFor();
    for (const one of [emi, emisPhone]) {
      const socket = one.page.waitForEvent('websocket');
      await one.page.goto('/events');
      await (await socket).waitForEvent('framereceived');
      await bellOf(one, 'Notifications').waitFor();
    }
    const json = { text: 'Look, @Emi', mentioned_user_ids: [5] };
    const sent = await ben.page.context().request.get('/v1/session');
    const { csrf_token } = (await sent.json()).data;
    const headers = { 'x-csrf-token': csrf_token };
    const said = await ben.page.context().request.post('/v1/updates/1/comments', { data: json, headers });
    assert.equal(said.status(), 201, await said.text());
    await atrium.drain();
    for (const one of [emi, emisPhone]) await bellOf(one, 'Notifications, 1 unread').waitFor();
    await bellOf(emi, 'Notifications, 1 unread').click();
    const told = emi.page.getByRole('feed').getByRole('article').first();
    await told.getByText('Mentioned by Ben Lindqvist').waitFor();
    assert.deepEqual(await accessibilityProblems(emi.page), []);
    await told.getByRole('link').click();
    await emi.page.getByText('Look, @Emi').waitFor();
    for (const one of [emi, emisPhone]) await bellOf(one, 'Notifications').waitFor();
    await bellOf(emisPhone, 'Notifications').click();
    await emisPhone.page.getByRole('button', { name: 'Mute' }).first().click();
    await emisPhone.page.goto('/settings/notifications');
    await emisPhone.page.getByRole('button', { name: 'Unmute' }).click();
    await emisPhone.page.getByText('You have muted nothing.').waitFor();
    await emisPhone.page.getByLabel('Mentions of me: Push').uncheck();
    await emisPhone.page.reload();
    assert.equal(await emisPhone.page.getByLabel('Mentions of me: Push').isChecked(), false);
    assert.deepEqual([emi.complaints(), emisPhone.complaints()], [[], []]);
  });

  test('@ offers people by keys alone; who is mentioned is a link to them, in posts, comments and chat', async () => {
    const { page, complaints } = await signedIn('emi');
    const offered = page.getByRole('listbox', { name: 'People, teams and spaces' });
    await page.goto('/');
    const field = page.getByLabel('What do you want to say?');
    await field.fill('Thank you, ');
    await page.keyboard.type('@Da');
    await offered.waitFor({ state: 'detached' });
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('d');
    await offered.getByRole('option', { name: 'Dmitri Petrov', selected: true }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press('Enter');
    await page.keyboard.type('and @sal');
    await offered.getByRole('option', { name: 'Sales Berlin' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Tab');
    await page.keyboard.type('& all @x');
    await page.keyboard.press('Escape');
    assert.equal(await field.inputValue(), 'Thank you, @Dmitri Petrov and @Sales Berlin & all @x');
    await page.getByRole('button', { name: 'Post' }).click();
    const posted = page.getByRole('feed').getByRole('article').first();
    await posted.getByText('Thank you,').waitFor();
    assert.equal(await posted.getByRole('link', { name: '@Sales Berlin' }).getAttribute('href'), '/spaces/3');
    await posted.getByRole('link', { name: 'No comments' }).click();
    await page.getByLabel('Your comment').fill('And you, @Ada');
    await offered.getByRole('option', { name: 'Ada Okafor', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('feed').getByRole('link', { name: '@Ada Okafor' }).waitFor();
    await page.getByRole('link', { name: '@Dmitri Petrov' }).click();
    await page.getByRole('heading', { level: 1, name: 'Dmitri Petrov' }).waitFor();
    await page.getByRole('button', { name: 'Message' }).click();
    await page.getByLabel('Your message').fill('@be');
    await offered.getByRole('option', { name: /Ben Lindqvist.*will not be told/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Messages' }).getByRole('link', { name: '@Ben Lindqvist' }).waitFor();
    assert.deepEqual(complaints(), []);
  });

  test('an invitation is answered, and the answer stays', async () => {
    const { page, complaints } = await signedIn('emi');
    await page.goto('/events');
    await page.getByRole('link', { name: 'Town hall' }).click();
    await page.getByRole('button', { name: /^Yes/ }).click();
    await page.getByRole('button', { name: /^Yes/, pressed: true }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: /^Yes/, pressed: true }).waitFor();
    assert.deepEqual(complaints(), []);
  });

  test('two chat; one is cut off, both go on writing: then nothing is lost, and nothing is there twice', async () => {
    const [ada, ben] = [await signedIn('ada'), await signedIn('ben')];
    const line = await breakable(atrium.url);
    await ada.page.goto('/chat/demo-group');
    await ben.page.goto(`${line.url}/directory/people/1`);
    await ben.page.getByRole('link', { name: 'Chat', exact: true }).click();
    await ben.page.getByRole('link', { name: /Opening hours/ }).click();
    const said = ({ page }: Visit) => page.getByRole('list', { name: 'Messages' }).locator('.text').allInnerTexts();
    const write = async ({ page }: Visit, text: string) => {
      await page.getByLabel('Your message').fill(text);
      await page.keyboard.press('Enter');
    };
    await write(ada, 'Can you hear me?');
    await ben.page
      .getByRole('status')
      .getByText(/Ada Okafor: .Can you hear me\?/)
      .waitFor({ state: 'attached' });
    await write(ben, 'Loud and clear.');
    await ada.page.getByText('Loud and clear.').last().waitFor();

    line.mute();
    await write(ben, 'Stored, but unanswered.');
    await ada.page.getByRole('list', { name: 'Messages' }).getByText('Stored, but unanswered.').waitFor();
    line.cut();
    await ben.page.getByText('No connection.').waitFor();
    for (const n of [1, 2, 3]) await write(ben, `Ben, cut off, ${n}`);
    for (const n of [1, 2, 3]) await write(ada, `Ada, meanwhile, ${n}`);
    await ada.page.getByRole('list', { name: 'Messages' }).getByText('Ada, meanwhile, 3').waitFor();
    await ben.page.getByText('Waiting for the connection').first().waitFor();
    line.mend();
    await ben.page.getByText('No connection.').waitFor({ state: 'detached' });
    await ada.page.getByRole('list', { name: 'Messages' }).getByText('Ben, cut off, 3').waitFor();
    await ben.page.getByRole('list', { name: 'Messages' }).getByText('Ada, meanwhile, 3').waitFor();
    await ben.page.getByText('Waiting for the connection').last().waitFor({ state: 'detached' });
    const whole = await said(ada);
    assert.deepEqual(await said(ben), whole);
    assert.deepEqual(whole.slice(-9).toSorted(), [
      'Ada, meanwhile, 1',
      'Ada, meanwhile, 2',
      'Ada, meanwhile, 3',
      ...[
        'Ben, cut off, 1',
        'Ben, cut off, 2',
        'Ben, cut off, 3',
        'Can you hear me?',
        'Loud and clear.',
        'Stored, but unanswered.',
      ],
    ]);
    assert.deepEqual(ada.complaints(), []);
  });

  test('a bot asks, a press of a button answers, and the list says what is new', async () => {
    const { page, complaints } = await signedIn('ada');
    await page.goto('/chat');
    await page.getByRole('link', { name: /Help desk/ }).click();
    await page.getByRole('button', { name: 'Yes' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Messages' }).getByText('Yes, it is solved.').waitFor();
    await page.getByRole('button', { name: 'Yes' }).waitFor({ state: 'detached' });
    const cards = [
      {
        cardTitle: 'Your shift',
        cardDescription: 'Monday at nine.',
        buttons: [
          { label: 'Swap', message: 'I would like to swap.' },
          { label: 'Plan', link: 'https://northwind.example/plan' },
        ],
      },
    ];
    const card = { bot_userid: 'bot_helpdesk', channel_url: 'demo-ada-bot', type: 'card', message: 'Look:', cards };
    assert.equal((await atrium.call('POST', '/v1/chat/bots/message', { json: card })).status, 200);
    await page.getByRole('link', { name: 'Plan' }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole('button', { name: 'Swap' }).click();
    await page.getByRole('list', { name: 'Messages' }).getByText('I would like to swap.').waitFor();
    await page.getByRole('link', { name: 'All conversations' }).click();
    await page.getByRole('link', { name: /Help desk.*You: .I would like to swap\./ }).waitFor();
    const again = { ...card, type: 'message', message: 'Done.' };
    assert.equal((await atrium.call('POST', '/v1/chat/bots/message', { json: again })).status, 200);
    await page.getByRole('link', { name: /Help desk: .Done\..*1 unread/ }).click();
    await page.getByRole('link', { name: 'All conversations' }).click();
    await page.getByRole('link', { name: /Help desk: .Done\./ }).waitFor();
    await page.getByText('1 unread', { exact: true }).waitFor({ state: 'detached' });
    assert.deepEqual(complaints(), []);
  });

  test('a conversation begins at the person, with a file', async () => {
    const { page, complaints } = await signedIn('emi');
    await page.goto('/directory/people/3');
    await page.getByRole('button', { name: 'Message' }).click();
    await page.getByRole('heading', { level: 1, name: 'Carla Mendes' }).waitFor();
    const file = { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('Monday: Emi') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByLabel('Your message').fill('The plan');
    await page.getByRole('button', { name: 'Send' }).click();
    const link = page.getByRole('link', { name: 'plan.txt' });
    const href = (await link.getAttribute('href')) ?? '';
    assert.equal(await (await page.context().request.get(href)).text(), 'Monday: Emi');
    assert.deepEqual(complaints(), []);
  });

  test('what is to be confirmed is confirmed as it was read; what has changed is read again first', async () => {
    const { page, complaints } = await signedIn('emi');
    await page.goto('/updates/1');
    const bar = page.getByRole('region', { name: 'Confirmation' });
    await bar.getByText('Please confirm').waitFor();
    const { body } = await atrium.call('GET', '/v1/updates/1');
    const text = 'The Berlin store opens on Tuesday.';
    const json = { text, html: `<p>${text}</p>`, requires_acknowledgement: true };
    assert.equal((await atrium.call('PUT', '/v1/updates/1', { json })).status, 200);
    await bar.getByRole('button', { name: 'I have read this' }).click();
    await bar.getByText('This has changed since you opened it.').waitFor();
    await page.getByText(text).waitFor();
    await bar.getByRole('button', { name: 'I have read this' }).click();
    await bar.getByText('You confirmed on').waitFor();
    await page.reload();
    await bar.getByText('You confirmed on').waitFor();
    const seen = (await atrium.call('GET', '/v1/updates/1/acknowledgement/users')).body.data;
    assert.deepEqual(
      seen.map((one: Record<string, unknown>) => [one.id, one.content_version]),
      [[5, body.data.content_version + 1]],
    );
    for (const address of ['/articles/berlin-opens', '/kudos/1']) {
      await page.goto(address);
      await bar.getByRole('button', { name: 'I have read this' }).focus();
      await page.keyboard.press('Enter');
      await bar.getByText('You confirmed on').waitFor();
    }
    assert.deepEqual(
      complaints().filter((said) => !said.includes('409')),
      [],
    );
  });

  test('somebody is thanked from their page, with a badge, and everybody reads it', async () => {
    const { page, complaints } = await signedIn('emi');
    await page.goto('/directory');
    await page.getByRole('link', { name: 'Carla Mendes' }).click();
    await page.getByRole('button', { name: 'Give kudos' }).click();
    await page.getByLabel('What do you thank them for?').fill('You found my files!');
    await page.getByLabel('Badge').selectOption({ label: 'Team player' });
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole('button', { name: 'Say thank you' }).click();
    await page.getByRole('heading', { level: 1, name: 'Kudos by Emi' }).waitFor();
    await page.getByText('Thanks to Carla Mendes').waitFor();
    await page.getByRole('link', { name: 'Home' }).first().click();
    await page.getByRole('feed').getByText('You found my files!').waitFor();
    const [kudos] = (await atrium.call('GET', '/v1/kudos')).body.data;
    assert.deepEqual([kudos.recipients.users[0].id, kudos.badge_id, kudos.creator.id], [3, 1, 5]);
    assert.deepEqual(complaints(), []);
  });

  test('who is deactivated sees nothing more, without a click', async () => {
    const { page } = await signedIn('ben');
    await page.goto('/');
    const socket = await page.waitForEvent('websocket');
    await socket.waitForEvent('framereceived');
    await atrium.call('DELETE', '/v1/users/2');
    await page.getByLabel('E-mail').waitFor();
  });

  test('an assistant sends its person here, who lets it in as far as they like, or not', async () => {
    const { page, complaints } = await visit();
    const receiver = await startReceiver();
    const { url: callback, received } = receiver;
    receiver.answer = answering(200, 'You may close this window.');
    const assistant = new Assistant(atrium.url, callback);
    await assert.rejects(assistant.connect(), UnauthorizedError);
    await page.goto(assistant.asked?.href ?? '');
    await page.getByLabel('E-mail').fill(people.emi);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Let Judge act for you?' }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints(), []);
    await page.getByRole('checkbox').uncheck();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${callback}?*`);
    assert.equal(new URL(page.url()).searchParams.get('code')?.length, 43);
    assert.equal(received.filter(({ path }) => path.startsWith('/hook')).length, 1);
    await assistant.transport().finishAuth(new URL(page.url()).searchParams);
    const client = await assistant.connect();
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.ok(names.includes('listUpdates') && !names.includes('createUpdate'), 'it may read only');
    await page.goto(assistant.asked?.href ?? '');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(/error=access_denied/);
  });
});
