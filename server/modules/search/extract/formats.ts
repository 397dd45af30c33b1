import type { Extraction } from './extract.ts';
import type { Limits } from './limits.ts';
import { Enough, Refusal, Text } from './text.ts';

/** The bytes decide: names and types are said by whoever sent the file. Text alone has no signature. */
export async function textOf(bytes: Buffer, content_type: string, limits: Limits): Promise<Extraction> {
  const text = new Text(limits);
  try {
    const read = await readerOf(bytes, content_type);
    await read(bytes, text, limits);
    return { text: text.toString(), is_truncated: false };
  } catch (error) {
    if (error instanceof Enough) return { text: text.toString(), is_truncated: true };
    return { refused: error instanceof Refusal ? error.refused : 'broken' };
  }
}

type Read = (bytes: Buffer, text: Text, limits: Limits) => Promise<void> | void;

async function readerOf(bytes: Buffer, content_type: string): Promise<Read> {
  if (content_type === 'application/pdf' || begins(bytes, '%PDF-')) return (await import('./pdf.ts')).readPdf;
  if (begins(bytes, 'PK\x03\x04') || begins(bytes, 'PK\x05\x06')) return (await import('./office.ts')).readOffice;
  if (begins(bytes, COMPOUND_FILE)) throw new Refusal(bytes.includes(ENCRYPTED) ? 'encrypted' : 'unsupported');
  if (content_type.startsWith('application/vnd.')) throw new Refusal('broken');
  const { readPlain, readHtml } = await import('./plain.ts');
  return /html/.test(content_type) ? readHtml : readPlain;
}

const begins = (bytes: Buffer, signature: string) => bytes.toString('latin1', 0, signature.length) === signature;
/** Word, Excel and PowerPoint until 2003, and the wrapping of later files that have a password. */
const COMPOUND_FILE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');
