import { type Markup, parsed } from './markup.ts';
import type { Text } from './text.ts';

/** Texts of a spreadsheet stand once, and cells name them by number. As many as the text could hold are kept. */
export function sharedStrings(length_max: number): Markup & { readonly list: readonly string[] } {
  const list: string[] = [];
  let [length, isText, isHint, string] = [0, false, false, ''];
  const markup = parsed(
    {
      onopentag(name) {
        if (name === 'si') string = '';
        if (name === 't') isText = true;
        // How a Japanese text is pronounced.
        if (name === 'rPh') isHint = true;
      },
      ontext(data) {
        if (!isText || isHint || length > length_max) return;
        string += data;
        length += data.length;
      },
      onclosetag(name) {
        if (name === 't') isText = false;
        if (name === 'rPh') isHint = false;
        if (name === 'si') list.push(string);
      },
    },
    true,
  );
  return { list, write: (text) => markup.write(text), end: () => markup.end() };
}

/** A line for each row, a tab between cells. Numbers are as they are stored; errors and truth values are left out. */
export function sheet(text: Text, strings: readonly string[]): Markup {
  let [type, isValue, value, cells] = ['', false, '', 0];
  return parsed(
    {
      onopentag(name, attributes) {
        if (name === 'row') cells = 0;
        if (name === 'c') [type, value] = [attributes.t ?? 'n', ''];
        if (name === 'v' || name === 't') isValue = true;
      },
      ontext(data) {
        if (isValue) value += data;
      },
      onclosetag(name) {
        if (name === 'v' || name === 't') isValue = false;
        if (name === 'row') text.endLine();
        if (name !== 'c') return;
        const shown = type === 's' ? strings[Number(value)] : type === 'b' || type === 'e' ? '' : value;
        if (shown) text.add(cells++ > 0 ? `\t${shown}` : shown);
      },
    },
    true,
  );
}
