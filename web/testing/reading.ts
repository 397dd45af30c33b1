// What the tests of the editor ask of it inside a browser.
import { DOMParser } from 'prosemirror-model';
import { cleaned } from '../editor/paste.ts';
import { documentOf, parsed } from '../editor/read.ts';
import { schema } from '../editor/schema.ts';
import { htmlOf } from '../editor/write.ts';

export const read = (html: string) => documentOf(html).toJSON();
export const again = (html: string) => htmlOf(documentOf(html));
export const paste = (html: string) => htmlOf(DOMParser.fromSchema(schema).parse(parsed(cleaned(html))));
