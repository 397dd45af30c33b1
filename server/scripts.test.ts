// Nothing that anybody writes runs in a reader's browser. The page is permissive: no policy, every event is fired,
// every document is also parsed a second time from its own serialisation.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Endpoint } from './kernel/contract/contract.ts';
import { routes } from './modules.ts';
import { startAtrium } from './testing/atrium.ts';
import { noBrowser, reported } from './testing/browser.ts';
import { each } from './testing/client.ts';
import { payloads, svgs } from './testing/scripts.ts';

const atrium = await startAtrium();

/** Numbers of the payloads that ran when these were put into a page as markup. */
async function runIn(documents: readonly string[]): Promise<number[]> {
  const given = JSON.stringify([...new Set(documents)]).replaceAll('<', '\\u003c');
  const ran = await reported(
    `<body><script>
    const seen = new Set();
    window.ran = (n) => seen.add(n);
    const fire = (document) => {
      for (const element of document.querySelectorAll('*')) {
        for (const name of element.getAttributeNames().filter((name) => /^on/i.test(name)))
          element.dispatchEvent(new Event(name.slice(2)));
        for (const name of ['mouseover', 'mouseenter', 'pointerenter', 'focus', 'click', 'submit'])
          element.dispatchEvent(new MouseEvent(name, { bubbles: true, cancelable: true }));
      }
    };
    const show = (html) => new Promise((done) => {
      const frame = document.createElement('iframe');
      frame.sandbox = 'allow-scripts allow-same-origin allow-forms';
      frame.onload = () => {
        frame.onload = null;
        try {
          fire(frame.contentDocument);
          frame.contentDocument.body.innerHTML = frame.contentDocument.body.innerHTML;
          fire(frame.contentDocument);
        } catch {}
        setTimeout(done, 50);
      };
      // A document that never finishes loading is looked at as it is.
      setTimeout(done, 2000);
      frame.srcdoc = html;
      document.body.append(frame);
    });
    (async () => {
      const all = ${given};
      // Few at once: on a busy machine more would not be done when the page's clock says that they are late.
      for (let i = 0; i < all.length; i += 20) {
        await Promise.all(all.slice(i, i + 20).map(show));
        for (const frame of document.querySelectorAll('iframe')) frame.remove();
      }
      report(JSON.stringify([...seen]));
    })();
  </script>`,
  );
  return JSON.parse(ran);
}

/**
 * Numbers that frames with these addresses told the page they are in. A frame is given up after `patience` ms:
 * a download never loads.
 */
async function toldFrom(addresses: readonly string[], patience: number): Promise<number[]> {
  const given = JSON.stringify(addresses).replaceAll('<', '\\u003c');
  const told = await reported(`<body><script>
    const seen = new Set();
    onmessage = ({ data }) => seen.add(data);
    const show = (address) => Promise.all(['iframe', 'object'].map((name) => new Promise((done) => {
      const element = document.createElement(name);
      element.onload = element.onerror = () => setTimeout(done, 50);
      setTimeout(done, ${patience});
      element[name === 'object' ? 'data' : 'src'] = address;
      document.body.append(element);
    })));
    (async () => {
      const all = ${given};
      for (let i = 0; i < all.length; i += 20) {
        await Promise.all(all.slice(i, i + 20).map(show));
        document.body.replaceChildren();
      }
      report(JSON.stringify([...seen]));
    })();
  </script>`);
  return JSON.parse(told);
}

/** Text fields of a body, with their paths: everything a person could write markup into. */
function textFields(schema: unknown, path: string[] = []): string[][] {
  const {
    type,
    format,
    enum: values,
    pattern,
    properties,
    anyOf,
  } = schema as Record<string, unknown> & { anyOf?: unknown[] };
  if (anyOf) return textFields(anyOf[0], path);
  if (properties)
    return Object.entries(properties as object).flatMap(([name, field]) => textFields(field, [...path, name]));
  return type === 'string' && !format && !values && !pattern ? [path] : [];
}
const put = (
  body: Record<string, unknown>,
  [name = '', ...rest]: string[],
  value: unknown,
): Record<string, unknown> => ({
  ...body,
  [name]: rest.length > 0 ? put((body[name] ?? {}) as Record<string, unknown>, rest, value) : value,
});
/** Values under names that a client shows as markup. */
const markupIn = (value: unknown, name = ''): string[] =>
  typeof value === 'string'
    ? /html/.test(name)
      ? [value]
      : []
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, each]) => markupIn(each, key))
      : [];

/** How many of the payloads each text field is tried with: `ATRIUM_TEST_EVERY_SCRIPT=1` takes all of them. */
const step = process.env.ATRIUM_TEST_EVERY_SCRIPT ? 1 : 127;

/** As documents of their own, which reach the page around them by messages only. */
const telling = (payload: string) => payload.replaceAll(/top\.ran\((\d+)\)/g, 'top.postMessage($1,`*`)');
const files = [
  ...svgs.map((svg) => ({ content: telling(svg), type: 'image/svg+xml', name: 'drawing.svg' })),
  ...payloads
    .filter((_, n) => n % Math.min(step, 20) === 0)
    .map((payload) => ({ content: telling(`<!doctype html><body>${payload}`), type: 'text/html', name: payload })),
];

describe(`${payloads.length} payloads in a browser`, { skip: noBrowser, timeout: 1_200_000 }, () => {
  test('as they are, many run: the page would notice', async () => {
    const some = payloads.filter((_, n) => n % 5 === 0);
    const ran = await runIn(some);
    assert.ok(ran.length > some.length / 2, `${ran.length} of ${some.length} ran`);
  });

  test('as the html_content of a page, none runs', async () => {
    const stored: string[] = [];
    for (const html_content of payloads) {
      const reply = await atrium.call('POST', '/v1/pages', {
        json: { title: html_content.slice(0, 500), html_content },
      });
      assert.equal(reply.status, 201, html_content);
      stored.push(reply.body.data.html_content);
    }
    assert.deepEqual(await runIn(stored), []);
  });

  test('in any text field of any endpoint, none reaches what a client shows as markup', {
    timeout: 900_000,
  }, async (t) => {
    const creates = routes
      .flatMap(({ family }) => Object.values(family.endpoints) as Endpoint[])
      .filter(({ method, body, actors, scope }) => method === 'POST' && body && !actors && scope);
    const trials = creates.flatMap(({ path, body, example }) => {
      const place = path.replace(/\{(\w+)\}/g, (_, name) => String(example.params?.[name]));
      const { external_id: _, comment_external_id: __, ...valid } = { ...example.body } as Record<string, unknown>;
      return textFields(body).flatMap((field) =>
        payloads
          .filter((_, n) => n % step === 0)
          .map((payload) => ({ place, field, json: put(valid, field, payload) })),
      );
    });
    const stored = new Set<string>();
    let accepted = 0;
    await each(trials, async ({ place, field, json }) => {
      const { status, body } = await atrium.call('POST', place, { json });
      assert.ok(status < 500, `${place} ${field}: ${status}`);
      if (status >= 300) return;
      accepted++;
      for (const markup of markupIn(body.data)) stored.add(markup);
    });
    t.diagnostic(`${trials.length} requests, ${accepted} accepted, ${stored.size} different documents`);
    assert.ok(accepted > 50 && stored.size > 10);
    const documents = [...stored];
    while (documents.length > 0) assert.deepEqual(await runIn(documents.splice(0, 1000)), []);
  });

  test('in files and their names none runs, whether SVG or HTML, when their addresses are opened or shown', {
    timeout: 300_000,
  }, async () => {
    const addresses: string[] = [];
    for (let n = 0; n < files.length; n += 20) {
      const form = new FormData();
      form.append('text', 'Look at this');
      for (const { content, type, name } of files.slice(n, n + 20))
        form.append('attachments', new Blob([content], { type }), name.slice(0, 200));
      const { status, body } = await atrium.call('POST', '/v1/updates', { form });
      assert.equal(status, 201, JSON.stringify(body));
      addresses.push(...body.data.attachments.map(({ url }: { url: string }) => url));
    }
    assert.equal(addresses.length, files.length);
    assert.deepEqual(
      await runIn(addresses.map((url) => `<a href="${url}"><img src='${url}'></a><iframe src="${url}"></iframe>`)),
      [],
    );
    const served = addresses.map((url) => atrium.url + new URL(url).pathname + new URL(url).search);
    assert.deepEqual(await toldFrom(served, 1000), []);
    const some = files
      .slice(0, 40)
      .map(({ content, type }) => `data:${type};base64,${Buffer.from(content).toString('base64')}`);
    const told = await toldFrom(some, 20_000);
    assert.ok(told.length > some.length / 4, `unprotected, ${told.length} of ${some.length} tell`);
  });
});
