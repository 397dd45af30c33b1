import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { startAtrium } from '../../server/testing/atrium.ts';
import { noBrowser } from '../../server/testing/browser.ts';
import { accessibilityProblems, openBrowser } from './browser.ts';

const skip = noBrowser;
const atrium = skip ? undefined : await startAtrium();
const picture = async (background: string) => ({
  name: 'shop.png',
  mimeType: 'image/png',
  buffer: await sharp({ create: { width: 320, height: 180, channels: 3, background } })
    .png()
    .toBuffer(),
});

describe('what people write', { skip }, async () => {
  if (!atrium) return;
  const { signedIn } = await openBrowser(atrium);

  test('an article with a picture, a table and a mention is published, and another reads just that', async () => {
    const [ada, emi] = [await signedIn('ada'), await signedIn('emi')];
    const { page } = ada;
    await page.goto('/articles');
    await page.getByRole('link', { name: 'Write news' }).click();
    await page.getByLabel('Title', { exact: true }).fill('A shop on the hill');
    const text = page.getByRole('textbox', { name: 'Text', exact: true });
    await text.focus();
    await page.keyboard.type('## Why');
    await page.keyboard.press('Enter');
    await page.keyboard.type('- **sun** and @Emi');
    await page.getByRole('option', { name: 'Emi Tanaka' }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+b');
    await page.keyboard.type('knows');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.locator('.editor input[type=file]').setInputFiles(await picture('#e0b040'));
    await page.getByLabel('What the picture shows').fill('A yellow house');
    await page.keyboard.press('Tab');
    await page.getByRole('textbox', { name: 'Text', exact: true }).press('Control+End');
    await page.keyboard.press('Alt+F10');
    for (let n = 0; n < 10; n++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Mo');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Tu');
    await page.getByText('picture is being uploaded').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.waitForURL('/articles/a-shop-on-the-hill');
    await emi.page.goto('/articles/a-shop-on-the-hill');
    await emi.page.getByRole('heading', { level: 2, name: 'Why' }).waitFor();
    await emi.page.getByRole('link', { name: '@Emi Tanaka' }).waitFor();
    await emi.page.getByRole('columnheader', { name: 'Tu' }).waitFor();
    const shown = emi.page.getByRole('img', { name: 'A yellow house' });
    await shown.waitFor();
    const width = await shown.evaluate((image) => (image as HTMLImageElement).decode().then(() => image.clientWidth));
    assert.equal(width, 320);
    assert.equal(await emi.page.getByRole('link', { name: 'Edit' }).count(), 0);
    assert.deepEqual([ada.complaints(), emi.complaints()], [[], []]);
  });

  test('of two who edit a page neither loses a word: the second sees both texts and says which holds', async () => {
    const [ada, ben] = [await signedIn('ada'), await signedIn('ben')];
    await atrium.rows(`update users set roles = '{user,admin}' where id = 2`);
    for (const { page } of [ada, ben]) {
      await page.goto('/pages/1');
      await page.getByRole('link', { name: 'Edit' }).click();
      await page.getByRole('textbox', { name: 'Text', exact: true }).press('Control+End');
    }
    await ada.page.keyboard.type(' Ada was here.');
    await ada.page.getByRole('button', { name: 'Save' }).click();
    await ada.page.getByRole('heading', { level: 1, name: 'Welcome to Northwind' }).waitFor();
    await ben.page.keyboard.type(' Ben too.');
    await ben.page.getByRole('button', { name: 'Save' }).click();
    const conflict = ben.page.getByRole('alert').filter({ hasText: 'Somebody else has changed this' });
    await conflict.getByRole('region', { name: 'The other text' }).getByText('Ada was here.').waitFor();
    await conflict.getByRole('region', { name: 'Your text' }).getByText('Ben too.').waitFor();
    assert.deepEqual(await accessibilityProblems(ben.page), []);
    await ben.page.getByRole('button', { name: 'Go on with the other text' }).click();
    const text = ben.page.getByRole('textbox', { name: 'Text', exact: true });
    await text.getByText('Ada was here.').waitFor();
    await ben.page.getByRole('button', { name: 'Bring it back' }).click();
    await text.getByText('Ben too.').waitFor();
    await ben.page.getByRole('button', { name: 'Save' }).click();
    await ben.page.waitForURL('/pages/1');
    await ben.page.getByText('Where to find what. Ben too.').waitFor();
    assert.deepEqual(ada.complaints(), []);
    assert.deepEqual(
      ben.complaints().filter((said) => !said.includes('412')),
      [],
    );
  });

  test('a like meanwhile is no conflict, and what was written outlives a reload and the session', async () => {
    const { page, complaints } = await signedIn('ada');
    await page.goto('/articles/1/edit');
    await page.getByLabel('Subtitle').fill('What outlives a reload');
    await page.getByRole('textbox', { name: 'Text', exact: true }).press('Control+End');
    await page.keyboard.type(' And so does this.');
    await page.reload();
    await page.getByText('Here is what you had written').waitFor();
    assert.equal(await page.getByLabel('Subtitle').inputValue(), 'What outlives a reload');
    await page.getByRole('textbox', { name: 'Text', exact: true }).getByText('And so does this.').waitFor();
    assert.equal((await atrium.call('POST', '/v1/articles/1/likes', { json: { user_id: 5 } })).status, 200);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('What outlives a reload').waitFor();
    await page.goto('/articles/1/edit');
    await page.getByLabel('Subtitle').waitFor();
    assert.equal(await page.getByText('Here is what you had written').count(), 0);
    assert.deepEqual(
      complaints().filter((said) => !said.includes('412')),
      [],
    );
  });

  test('a draft is read by its author alone until it is published; who may not write is told so', async () => {
    const [ada, emi] = [await signedIn('ada'), await signedIn('emi')];
    await ada.page.goto('/articles/new');
    await ada.page.getByLabel('Title', { exact: true }).fill('New');
    await ada.page.getByRole('textbox', { name: 'Text', exact: true }).fill('Soon.');
    await ada.page.getByLabel('Publishing').selectOption('draft');
    await ada.page.getByRole('button', { name: 'Save the draft' }).click();
    await ada.page.waitForURL('/articles/new-article');
    await emi.page.goto('/articles/new-article');
    await emi.page.getByRole('heading', { level: 1, name: 'Not here' }).waitFor();
    await emi.page.goto('/articles/1/edit');
    await emi.page.getByText('You may read this, but not change it.').waitFor();
    await ada.page.goto('/articles?state=draft');
    await ada.page.getByRole('feed').getByRole('link', { name: 'New' }).click();
    await ada.page.getByRole('link', { name: 'Edit' }).click();
    await ada.page.getByLabel('Publishing').selectOption('now');
    await ada.page.getByRole('button', { name: 'Publish' }).click();
    await ada.page.waitForURL('/articles/new-article');
    await emi.page.goto('/articles/new-article');
    await emi.page.getByText('Soon.').waitFor();
  });

  test('a page is moved by keys alone: down, below another and out again; who reads sees the new order', async () => {
    const [ada, emi] = [await signedIn('ada'), await signedIn('emi')];
    for (const title of ['Alpha', 'Beta', 'Gamma']) {
      const json = { title, html_content: '<p>Text</p>', space_id: 2 };
      assert.equal((await atrium.call('POST', '/v1/pages', { json })).status, 201);
    }
    const { page } = ada;
    const shown = (of: typeof page) => of.locator('.page-tree a[data-page]').allInnerTexts();
    const order = async (of: typeof page) =>
      (await shown(of)).filter((title) => /Alpha|Beta|Gamma/.test(title)).join(' ');
    await page.goto('/spaces/2/pages');
    const beta = page.getByRole('link', { name: 'Beta' });
    await beta.waitFor();
    await page.getByRole('button', { name: 'Arrange' }).press('Enter');
    assert.deepEqual(await accessibilityProblems(page), []);
    await beta.focus();
    await page.keyboard.press('Alt+Shift+ArrowDown');
    await page.getByRole('status').getByText('Beta now stands below: Top').waitFor({ state: 'attached' });
    assert.equal(await order(page), 'Alpha Gamma Beta');
    await page.keyboard.press('Alt+Shift+ArrowRight');
    await page.getByRole('status').getByText('Beta now stands below: Gamma').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Pages below Gamma', expanded: true }).waitFor();
    await emi.page.goto('/spaces/2/pages');
    await emi.page.getByRole('link', { name: 'Gamma' }).focus();
    await emi.page.keyboard.press('ArrowRight');
    await emi.page.getByRole('link', { name: 'Beta' }).click();
    await emi.page.getByRole('navigation', { name: 'Where this page stands' }).getByText('Gamma').waitFor();
    await page.getByRole('button', { name: 'Move Beta one level up' }).press('Enter');
    await page.getByRole('status').getByText('Beta now stands below: Top').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Pages below Gamma' }).waitFor({ state: 'detached' });
    const line = (title: string) => page.locator('.page-tree .line').filter({ hasText: title });
    await line('Beta').dragTo(line('Alpha'), { targetPosition: { x: 120, y: 2 } });
    await page.locator('li:has(> .line > a:text-is("Beta")) + li:has(> .line > a:text-is("Alpha"))').waitFor();
    await emi.page.goto('/spaces/2/pages');
    await emi.page.getByRole('link', { name: 'Alpha' }).waitFor();
    assert.equal(await order(emi.page), 'Beta Alpha Gamma');
    assert.deepEqual([ada.complaints(), emi.complaints()], [[], []]);
  });

  test('two files are uploaded into a new folder, one is previewed, one renamed and one deleted', async () => {
    const [ada, emi] = [await signedIn('ada'), await signedIn('emi')];
    const { page } = ada;
    await page.goto('/documents');
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Shop plans');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByRole('link', { name: 'Shop plans', exact: true }).click();
    await page.getByText('There are no documents here yet.').waitFor();
    const text = { name: 'hours.txt', mimeType: 'text/plain', buffer: Buffer.from('Monday to Friday') };
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload files' }).click();
    await (await chooser).setFiles([await picture('#40a0e0'), text]);
    await page.getByRole('feed').getByRole('link', { name: 'shop.png' }).waitFor();
    await page.getByRole('feed').getByRole('link', { name: 'hours.txt' }).waitFor();
    assert.equal(await page.getByRole('progressbar').count(), 0);
    await page.getByRole('button', { name: 'Rename, move or delete shop.png' }).click();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByLabel('Name', { exact: true }).fill('The shop');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'The shop' }).click();
    await page.getByRole('img', { name: 'The shop' }).waitFor();
    const address = page.url();
    await emi.page.goto(address);
    const shown = emi.page.getByRole('img', { name: 'The shop' });
    await shown.waitFor();
    assert.equal(
      await shown.evaluate((image) => (image as HTMLImageElement).decode().then(() => image.clientWidth)),
      320,
    );
    await emi.page.getByRole('link', { name: 'Folder' }).click();
    await emi.page.getByRole('link', { name: 'hours.txt' }).click();
    await emi.page.getByText('Monday to Friday').waitFor();
    assert.equal(await emi.page.getByRole('button', { name: 'Edit' }).count(), 0);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('link', { name: 'hours.txt' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'The shop' }).count(), 0);
    await page.goto('/documents');
    await page.getByRole('button', { name: 'delete Shop plans' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('The folder is not empty.').waitFor();
    assert.deepEqual(emi.complaints(), []);
    assert.deepEqual(
      ada.complaints().filter((said) => !said.includes('409')),
      [],
    );
  });

  test('an update with a picture and a file is posted in a space, and a member sees both there', async () => {
    const [ada, emi] = [await signedIn('ada'), await signedIn('emi')];
    const { page } = ada;
    await page.goto('/spaces/1');
    await page.getByLabel('What do you want to say?').fill('The new window.');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Add pictures or files' }).click();
    const text = { name: 'sizes.txt', mimeType: 'text/plain', buffer: Buffer.from('2 by 3') };
    await (await chooser).setFiles([await picture('#60c060'), text]);
    await page.getByRole('list', { name: 'Files of the post' }).getByText('sizes.txt').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole('button', { name: 'Post' }).click();
    await page.getByRole('feed').getByText('The new window.').waitFor();
    assert.equal(await page.getByRole('list', { name: 'Files of the post' }).count(), 0);
    await emi.page.goto('/spaces/1');
    const posted = emi.page.getByRole('article').filter({ hasText: 'The new window.' });
    await posted.getByRole('img', { name: 'shop.png' }).waitFor();
    const href = (await posted.getByRole('link', { name: 'sizes.txt' }).getAttribute('href')) ?? '';
    assert.equal(await (await emi.page.context().request.get(href)).text(), '2 by 3');
    assert.deepEqual([ada.complaints(), emi.complaints()], [[], []]);
  });
});
