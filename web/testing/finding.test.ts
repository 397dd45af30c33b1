// Finding things and people, as people do it: mostly by keyboard.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { appJwt, provision } from '../../server/testing/app-jwt.ts';
import { startAtrium } from '../../server/testing/atrium.ts';
import { noBrowser } from '../../server/testing/browser.ts';
import { accessibilityProblems, openBrowser } from './browser.ts';

const skip = noBrowser;
const atrium = skip ? undefined : await startAtrium();

describe('finding', { skip }, async () => {
  if (!atrium) return;
  const { signedIn, visit } = await openBrowser(atrium);

  test('the palette opens within 100 ms from everywhere, and leads to people and screens by keys', async () => {
    const { page, complaints } = await signedIn('emi');
    await page.goto('/spaces');
    await page.getByRole('heading', { level: 1, name: 'Spaces' }).waitFor();
    await page.waitForFunction(`performance.getEntriesByType('resource').some(({ name }) => name.includes('palette'))`);
    await page.evaluate(`void (window.opened = new Promise((resolve) => {
      addEventListener('keydown', (event) => {
        if (event.key !== 'k') return;
        const look = () => document.querySelector('dialog[open]') && resolve(performance.now() - event.timeStamp);
        new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributes: true });
      }, { capture: true });
    }))`);
    await page.keyboard.press('Control+k');
    const took = (await page.evaluate('window.opened')) as number;
    assert.ok(took < 100, `${took} ms`);
    const palette = page.getByRole('dialog', { name: 'Find and do' });
    await palette.getByRole('option', { name: 'Home', selected: true }).waitFor();
    await page.keyboard.type('dmi');
    await palette.getByRole('option', { name: /^Dmitri Petrov/, selected: true }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Dmitri Petrov' }).waitFor();
    await page.keyboard.press('/');
    await palette.waitFor();
    await page.keyboard.type('chat');
    await palette.getByRole('option', { name: 'Chat', selected: true }).waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    assert.deepEqual(complaints(), []);
  });

  test('a search is narrowed, its address says how, and Back undoes it', async () => {
    const { page, complaints } = await signedIn('ada');
    await page.goto('/search');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('berlin');
    await page.keyboard.press('Enter');
    const results = page.getByRole('region', { name: 'Results' });
    await results.getByRole('link', { name: 'Sales Berlin' }).waitFor();
    await page.getByRole('link', { name: 'Updates', exact: true }).click();
    await results.getByRole('link', { name: 'Sales Berlin' }).waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).search, '?q=berlin&type=update');
    await page.getByText('More filters').click();
    await page.getByRole('combobox', { name: 'Written by' }).fill('emi');
    await page.getByRole('option', { name: /Emi Tanaka/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await results.getByText('Nothing found').waitFor();
    await page.getByRole('button', { name: 'Remove Emi Tanaka' }).click();
    await results.getByRole('article').first().waitFor();
    await page.goBack();
    await results.getByRole('link', { name: 'Sales Berlin' }).waitFor();
    assert.deepEqual(complaints(), []);
  });

  test('colleagues are found by name and team; the chart is walked, opened and closed by arrows', async () => {
    const { page, complaints } = await signedIn('emi');
    await page.goto('/directory');
    await page.getByRole('combobox', { name: 'Team or location' }).fill('sal');
    await page.getByRole('option', { name: /^Sales/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('3 people').waitFor();
    await page.getByRole('searchbox', { name: 'Name' }).fill('pet');
    await page.getByText('1 person').waitFor();
    assert.equal(new URL(page.url()).search, '?q=pet&team=1');
    await page.getByRole('link', { name: 'Dmitri Petrov' }).click();
    await page.getByRole('link', { name: 'Organisation chart' }).click();
    const chosen = page.getByRole('treeitem', { name: /^Dmitri Petrov/, selected: true });
    await chosen.focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('treeitem', { name: /^Emi Tanaka/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowRight');
    await page.getByRole('treeitem', { name: /^Emi Tanaka/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Emi Tanaka' }).waitFor();
    assert.deepEqual(complaints(), []);
  });

  test('people say how they are reached and what language they read; another device is signed out', async () => {
    const [here, there] = [await signedIn('ben'), await signedIn('ben')];
    await there.page.goto('/');
    await there.page.getByRole('heading', { level: 1 }).waitFor();
    await here.page.goto('/directory/people/2');
    await here.page.getByRole('button', { name: 'Edit my profile' }).click();
    await here.page.getByLabel('Mobile').fill('+49 151 5550102');
    await here.page.getByRole('button', { name: 'Save' }).click();
    await here.page.getByRole('link', { name: '+49 151 5550102' }).waitFor();
    await here.page.goto('/settings');
    await here.page.getByLabel('Language').selectOption('de');
    await here.page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor();
    await here.page.getByLabel('Dunkel').check();
    await here.page.reload();
    assert.equal(await here.page.locator('html').getAttribute('data-theme'), 'dark');
    await here.page.getByRole('link', { name: 'Geräte' }).click();
    await here.page.getByRole('button', { name: 'Auf allen anderen Geräten abmelden' }).click();
    await here.page.getByRole('alertdialog').getByRole('button', { name: 'Abmelden' }).click();
    await here.page.getByText('Dort abgemeldet.').waitFor();
    const next = there.page.getByRole('link', { name: 'Spaces' });
    // Where the page has heard of it first, there is nothing left to click.
    await next.click({ timeout: 5000 }).catch(() => {});
    await there.page.getByText('Your session has ended.').waitFor();
    assert.deepEqual([here.complaints(), there.complaints()], [[], []]);
  });

  test('a person and a team are thanked from the wall, which then shows it to who asks for that team', async () => {
    const { page, complaints } = await signedIn('emi');
    await page.goto('/kudos');
    await page.getByRole('button', { name: 'Give kudos' }).click();
    const whom = page.getByRole('combobox', { name: /^Whom do you thank/ });
    for (const [typed, name] of [
      ['carla', /^Carla Mendes/],
      ['it', /^IT/],
    ] as const) {
      await whom.fill(typed);
      await page.getByRole('option', { name, selected: true }).waitFor();
      await page.keyboard.press('Enter');
    }
    await page.getByLabel('What do you thank them for?').fill('The scanners work again.');
    await page.getByRole('form', { name: 'Give kudos' }).getByLabel('Value').selectOption('Customers first');
    await page.getByRole('button', { name: 'Say thank you' }).click();
    await page.getByText('Thanks to Carla Mendes, IT').waitFor();
    await page.goto('/kudos?team=3&goal=1');
    await page.getByRole('feed').getByText('The scanners work again.').waitFor();
    await page.goto('/kudos?team=1&goal=1');
    await page.getByText('No thanks here yet').waitFor();
    assert.deepEqual(complaints(), []);
  });

  test('an owner takes somebody in and gives a role; members leave and join; what is private says so', async () => {
    const [ada, emi] = [await signedIn('ada'), await signedIn('emi')];
    const post = (path: string, data: object) =>
      ada.page.context().request.fetch(path, { method: 'POST', data, headers: { 'x-csrf-token': token } });
    const session = await (await ada.page.context().request.get('/v1/session')).json();
    const token = session.data.csrf_token as string;
    const space = await (await post('/v1/spaces', { name: 'Running club' })).json();
    const closed = await (await post('/v1/spaces', { name: 'Board', visibility: 'private' })).json();
    await emi.page.goto(`/spaces/${space.data.id}`);
    await emi.page.getByRole('button', { name: 'Join' }).click();
    await emi.page.getByText('You are a member').waitFor();
    await emi.page.getByRole('button', { name: 'Leave' }).click();
    await emi.page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await emi.page.getByRole('button', { name: 'Join' }).waitFor();
    await ada.page.goto(`/spaces/${space.data.id}/people`);
    await ada.page.getByRole('combobox', { name: 'Take people in' }).fill('emi');
    await ada.page.getByRole('option', { name: /Emi Tanaka/, selected: true }).waitFor();
    await ada.page.keyboard.press('Enter');
    await ada.page.getByRole('button', { name: 'Take 1 person in' }).click();
    await ada.page.getByRole('combobox', { name: 'Role of Emi Tanaka' }).selectOption('Editor of news');
    await emi.page.reload();
    await emi.page.getByText('You are here as: Editor of news').waitFor();
    await emi.page.goto(`/spaces/${closed.data.id}`);
    await emi.page.getByText('This space is private.').waitFor();
    assert.deepEqual(await accessibilityProblems(emi.page), []);
    assert.deepEqual([ada.complaints(), emi.complaints()], [[], []]);
  });

  test('an event is created for a space, stands in its month, is changed and called off', async () => {
    const { page, complaints } = await signedIn('ada');
    await page.goto('/events/new');
    await page.getByLabel('Title').fill('Fire drill');
    await page.getByLabel('Begins').fill('2027-03-04T10:00');
    await page.getByLabel('Ends').fill('2027-03-04T10:30');
    await page.getByLabel('What it is about').fill('Leave by the stairs.');
    await page.getByLabel('Seats').fill('2');
    await page.getByRole('button', { name: 'Create the event' }).click();
    await page.getByText('2 seats left').waitFor();
    await page.getByRole('button', { name: /^Yes/ }).click();
    await page.getByText('1 seat left').waitFor();
    await page.getByRole('link', { name: 'Edit the event' }).click();
    await page.getByLabel('Place', { exact: true }).fill('Yard');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Fire drill' }).waitFor();
    await page.getByText('Leave by the stairs.').waitFor();
    const address = page.url();
    await page.goto('/events?view=month&month=2027-03');
    await page.getByRole('table').getByRole('link', { name: 'Fire drill' }).click();
    await page.waitForURL(address);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('/events');
    assert.deepEqual(complaints(), []);
  });

  test('who lost the password signs in with a passcode that an app has issued, and sets a new one', async () => {
    const email = 'dmitri.petrov@northwind.example';
    await provision(atrium, 4, { authMode: 'password', allowOtpPasswordReset: true });
    const asked = { key: null, headers: await appJwt(atrium), json: { email } };
    const { one_time_passcode } = (await atrium.call('POST', '/v1/unwired/users/otp', asked)).body.data;
    const { page, complaints } = await visit();
    await page.goto('/spaces/1');
    await page.getByRole('button', { name: 'I have a one-time passcode' }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('One-time passcode').fill('AAAAAA');
    await page.getByLabel('New password').fill('a window over the yard');
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await page.getByRole('alert').getByText('passcode is wrong').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByLabel('One-time passcode').fill(one_time_passcode.toLowerCase());
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Company news' }).waitFor();
    assert.deepEqual(complaints(), []);
  });
});
