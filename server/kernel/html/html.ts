// Documents that clients write: made safe before a handler sees them (`t.Html` of a contract), and their words.
//
// Small ones are sanitised at once. Large ones go to a thread, one after the other: whoever sends two megabytes of tags
// holds up nobody but others who do.
import { Worker } from 'node:worker_threads';
import { refuseInvalid } from '../contract/errors.ts';
import { escaped } from '../http/markup.ts';
import { extensionPoint } from '../module.ts';
import { DEPTH_MAX, sanitized, TooDeep } from './sanitizer.ts';

/** Hosts whose pages may be shown inside content. */
export const frameHosts = extensionPoint<string>();

const AT_ONCE_MAX = 8 * 1024;

/** Safe to put into a page; refused, with the field's name, where it is nested too deeply. */
export async function sanitizedHtml(html: string, field: string): Promise<string> {
  if (!/[<&]/.test(html)) return html;
  const safe = html.length <= AT_ONCE_MAX ? sanitizedHere(html) : await sanitizedInThread(html);
  return safe ?? refuseInvalid(field, `must not have elements inside each other more than ${DEPTH_MAX} deep`);
}

function sanitizedHere(html: string): string | undefined {
  try {
    return sanitized(html, frameHosts.all);
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
}

export type Reply = { safe: string | undefined } | { failure: unknown };
type Waiting = { resolve(safe: string | undefined): void; reject(error: unknown): void };
let thread: { worker: Worker; waiting: Waiting[] } | undefined;

/** Replies come in the order of the documents. */
function sanitizedInThread(html: string): Promise<string | undefined> {
  thread ??= startThread();
  const { worker, waiting } = thread;
  return new Promise((resolve, reject) => {
    waiting.push({ resolve, reject });
    worker.ref();
    worker.postMessage(html);
  });
}

function startThread() {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: frameHosts.all });
  const waiting: Waiting[] = [];
  worker.on('message', (reply: Reply) => {
    const next = waiting.shift();
    if ('safe' in reply) next?.resolve(reply.safe);
    else next?.reject(reply.failure);
    if (waiting.length === 0) worker.unref();
  });
  worker.on('error', (error) => {
    thread = undefined;
    for (const { reject } of waiting) reject(error);
  });
  return { worker, waiting };
}

const TAG = /<(\/?)([a-z][a-z0-9]*)(?![a-z0-9])[^<>]*>/gi;
const ENDS_LINE = /^(p|div|li|h[1-6]|tr|blockquote)$/i;
const SIGNS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };
/** The words of a document that is safe already: a line for each block, without any markup. */
export const plainText = (safe: string): string =>
  safe
    .replace(TAG, (_, slash, name) => (/^br$/i.test(name) || (slash && ENDS_LINE.test(name)) ? '\n' : ''))
    .replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name) => SIGNS[name] ?? '')
    .replaceAll('\u00a0', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

/** Plain text as a document: a paragraph for each block of lines, addresses as links. */
export const htmlOf = (text: string): string =>
  text
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== '')
    .map((block) => `<p>${linked(block).replace(/\r?\n/g, '<br />')}</p>`)
    .join('');
/** Signs that end a sentence or a quotation around an address are no part of it. */
const linked = (text: string) =>
  text
    .split(/(\bhttps?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]'])/g)
    .map((part, n) => (n % 2 === 1 ? `<a href="${escaped(part)}">${escaped(part)}</a>` : escaped(part)))
    .join('');
