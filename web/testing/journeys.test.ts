import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startAtrium } from '../../server/testing/atrium.ts';
import { noBrowser } from '../../server/testing/browser.ts';
import { PASSWORD } from '../../server/testing/world.ts';
import { openBrowser, people } from './browser.ts';

const skip = noBrowser;
const atrium = skip ? undefined : await startAtrium();

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
    await emi.page.getByText('1 like', { exact: true }).waitFor();
    await emi.page.getByLabel('Your comment').fill('At last!');
    await emi.page.getByRole('button', { name: 'Send' }).click();
    await emi.page.getByRole('feed').getByText('At last!').waitFor();
    await emi.page.reload();
    await emi.page.getByRole('button', { name: 'Like', pressed: true }).waitFor();
    await emi.page.getByRole('heading', { name: '1 comment' }).waitFor();

    await ben.page.goto(permalink);
    await ben.page.getByText('Emi Tanaka', { exact: true }).first().waitFor();
    await ben.page.getByRole('button', { name: 'Delete' }).click();
    const question = ben.page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Delete' }).click();
    await ben.page.waitForURL('/');
    await emi.page.reload();
    await emi.page.getByRole('heading', { level: 1, name: 'Not here' }).waitFor();
    assert.deepEqual([ben.complaints(), emi.complaints()], [[], []]);
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

  test('who is deactivated sees nothing more with the next click', async () => {
    const { page } = await signedIn('ben');
    await page.goto('/');
    await page.getByRole('feed').waitFor();
    await atrium.call('DELETE', '/v1/users/2');
    await page.getByRole('link', { name: 'Spaces' }).first().click();
    await page.getByLabel('E-mail').waitFor();
  });
});
