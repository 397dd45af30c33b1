// Nothing that anybody writes runs in a reader's browser. The page is permissive: no policy, every event is fired, every
// document is also parsed a second time from its own serialisation.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Endpoint } from './kernel/contract.ts';
import { modules } from './modules.ts';
import { startAtrium } from './testing/atrium.ts';
import { noBrowser, rendered } from './testing/browser.ts';
import { payloads } from './testing/scripts.ts';

const atrium = await startAtrium();

/** Numbers of the payloads that ran when these were put into a page as markup. */
async function runIn(documents: readonly string[]): Promise<number[]> {
  const given = JSON.stringify([...new Set(documents)]).replaceAll('<', '\\u003c');
  const dom = await rendered(`<!doctype html><meta charset="utf-8"><body><script>
    const seen = new Set();
    window.ran = (n) => seen.add(n);
    const fire = (document) => {
      for (const element of document.querySelectorAll('*')) {
        for (const name of element.getAttributeNames().filter((name) => /^on/i.test(name))) element.dispatchEvent(new Event(name.slice(2)));
        for (const name of ['mouseover', 'mouseenter', 'pointerenter', 'focus', 'click', 'submit']) element.dispatchEvent(new MouseEvent(name, { bubbles: true, cancelable: true }));
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
      for (let i = 0; i < all.length; i += 100) {
        await Promise.all(all.slice(i, i + 100).map(show));
        for (const frame of document.querySelectorAll('iframe')) frame.remove();
      }
      document.documentElement.dataset.ran = [...seen].join(',') || 'none';
    })();
  </script>`);
  const found = /<html[^>]* data-ran="([^"]*)"/.exec(dom)?.[1];
  assert.ok(found, 'the page came to its end');
  return found === 'none' ? [] : found.split(',').map(Number);
}

/** Text fields of a body, with their paths: everything a person could write markup into. */
function textFields(schema: unknown, path: string[] = []): string[][] {
  const { type, format, enum: values, pattern, properties, anyOf } = schema as Record<string, unknown> & { anyOf?: unknown[] };
  if (anyOf) return textFields(anyOf[0], path);
  if (properties) return Object.entries(properties as object).flatMap(([name, field]) => textFields(field, [...path, name]));
  return type === 'string' && !format && !values && !pattern ? [path] : [];
}
const put = (body: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): Record<string, unknown> => ({
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

describe(`${payloads.length} payloads in a browser`, { skip: noBrowser }, () => {
  test('as they are, many run: the page would notice', async () => {
    const some = payloads.filter((_, n) => n % 5 === 0);
    const ran = await runIn(some);
    assert.ok(ran.length > some.length / 2, `${ran.length} of ${some.length} ran`);
  });

  test('as the html_content of a page, none runs', async () => {
    const stored: string[] = [];
    for (const html_content of payloads) {
      const reply = await atrium.call('POST', '/v1/pages', { json: { title: html_content.slice(0, 500), html_content } });
      assert.equal(reply.status, 201, html_content);
      stored.push(reply.body.data.html_content);
    }
    assert.deepEqual(await runIn(stored), []);
  });

  test('in any text field of any endpoint, none reaches what a client shows as markup', async () => {
    const creates = modules
      .flatMap(({ family }) => Object.values(family.endpoints) as Endpoint[])
      .filter(({ method, body, actors, scope }) => method === 'POST' && body && !actors && scope);
    const stored: string[] = [];
    let accepted = 0;
    for (const { path, body, example } of creates) {
      const place = path.replace(/\{(\w+)\}/g, (_, name) => String(example.params?.[name]));
      for (const field of textFields(body)) {
        for (let n = 0; n < payloads.length; n += 61) {
          const { external_id: _, comment_external_id: __, ...valid } = { ...example.body } as Record<string, unknown>;
          const reply = await atrium.call('POST', place, { json: put(valid, field, payloads[n]) });
          assert.ok(reply.status < 500, `${path} ${field}: ${reply.status}`);
          if (reply.status < 300) {
            accepted++;
            stored.push(...markupIn(reply.body.data));
          }
        }
      }
    }
    assert.ok(accepted > 50 && stored.length > 20, `${accepted} accepted, ${stored.length} with markup`);
    assert.deepEqual(await runIn(stored), []);
  });
});
