// The text inside PDF, Office and text files, for the search. Read this file first: it says how to ask.
//
//   const found = await extractText({ content_type, byte_size, open: () => storage.open(…) }, signal);
//   'text' in found ? found.text : found.refused
//
//   1. Here: what has no text, or is too large, is refused unread. One file is looked at after the other; a few may
//      wait, and more are `busy`: the only refusal that says nothing about the file. Ask again later.
//   2. The bytes go to a process of its own (guarded.ts), which may do nothing but compute: no files beside its own
//      program, no network, no child, no environment. It starts with the first file, and ends when none comes.
//   3. There, the bytes decide what the file is (formats.ts), and a library reads it (pdf.ts, office.ts, plain.ts),
//      until the text is long enough.
//   4. A file that wants more memory or time than limits.ts allows costs that process its life, and the file is
//      refused; the next file gets a new one. A file that is merely slow gives the text read until then.
import { startGuarded } from './guarded.ts';
import { LIMITS, type Limits } from './limits.ts';

export interface ExtractedFile {
  /** As `mediaTypeOf` (kernel/files/media-type.ts) says. */
  content_type: string;
  byte_size: number;
  /** Called when its turn has come, once. */
  open(): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
}
export type Refused = 'too large' | 'broken' | 'time' | 'encrypted' | 'unsupported' | 'busy';
/** `text` has no control characters but tabs and line ends, and no halves of characters. */
export type Extraction = { text: string; is_truncated: boolean } | { refused: Refused };

export interface Extractor {
  /** Throws what `open` or its bytes throw, and the signal's reason. */
  extract(file: ExtractedFile, signal?: AbortSignal): Promise<Extraction>;
  /** Ends the process; the next file starts one. */
  end(): void;
}

const TYPES = [
  /^text\//,
  /^application\/(pdf|json|xml|xhtml\+xml|yaml|x-ndjson)$/,
  /^application\/vnd\.openxmlformats-officedocument\.(wordprocessingml|spreadsheetml|presentationml)\./,
  /^application\/vnd\.ms-(word|excel|powerpoint)\..*\.macroenabled\.12$/,
  /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)(-template)?$/,
];
export const hasText = (content_type: string): boolean =>
  content_type !== 'text/rtf' && TYPES.some((type) => type.test(content_type.toLowerCase()));

export function createExtractor(changed: Partial<Limits> = {}): Extractor {
  const limits = { ...LIMITS, ...changed };
  let guarded: ReturnType<typeof startGuarded> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let waiting = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const end = () => {
    clearTimeout(idle);
    guarded?.end();
    guarded = undefined;
  };

  async function ask(file: ExtractedFile, signal?: AbortSignal): Promise<Extraction> {
    signal?.throwIfAborted();
    const content = await file.open();
    clearTimeout(idle);
    guarded ??= startGuarded(limits);
    signal?.addEventListener('abort', end);
    try {
      const { answer, is_usable } = await guarded.ask(file.content_type.toLowerCase(), content);
      signal?.throwIfAborted();
      if (!is_usable) end();
      return answer;
    } catch (error) {
      end();
      throw error;
    } finally {
      signal?.removeEventListener('abort', end);
      idle = setTimeout(end, limits.idle_ms).unref();
    }
  }

  return {
    end,
    async extract(file, signal) {
      if (!hasText(file.content_type)) return { refused: 'unsupported' };
      if (file.byte_size > limits.file_bytes_max) return { refused: 'too large' };
      if (waiting >= limits.waiting_max) return { refused: 'busy' };
      waiting++;
      const mine = turn.then(() => ask(file, signal));
      turn = mine.catch(() => {});
      return mine.finally(() => waiting--);
    },
  };
}

/** One process for all of this node. */
export const { extract: extractText } = createExtractor();
