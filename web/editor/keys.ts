// Keys, and signs that become what they mean: `## `, `- `, `1. `, `> `, `---`, three backticks.
import { baseKeymap, chainCommands, exitCode, toggleMark } from 'prosemirror-commands';
import { redo, undo } from 'prosemirror-history';
import {
  InputRule,
  inputRules,
  textblockTypeInputRule,
  undoInputRule,
  wrappingInputRule,
} from 'prosemirror-inputrules';
import { keymap } from 'prosemirror-keymap';
import { liftListItem, sinkListItem, splitListItem } from 'prosemirror-schema-list';
import type { Command } from 'prosemirror-state';
import { goToNextCell } from 'prosemirror-tables';
import { schema } from './schema.ts';

const { nodes, marks } = schema;
export type Mark = keyof typeof marks;
export const mark = (name: string): Command => toggleMark(marks[name] as never);
const item = nodes.list_item as never;

const lineBreak: Command = chainCommands(exitCode, (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(schema.node('hard_break')).scrollIntoView());
  return true;
});

const rules = inputRules({
  rules: [
    textblockTypeInputRule(/^(#{2,4})\s$/, nodes.heading as never, ([, signs = '']) => ({ level: signs.length })),
    wrappingInputRule(/^\s*[-*]\s$/, nodes.bullet_list as never),
    wrappingInputRule(
      /^(\d{1,4})\.\s$/,
      nodes.ordered_list as never,
      ([, n]) => ({ order: Number(n) }),
      ([, n], list) => list.childCount + list.attrs.order === Number(n),
    ),
    wrappingInputRule(/^>\s$/, nodes.blockquote as never),
    textblockTypeInputRule(/^```$/, nodes.code_block as never),
    new InputRule(/^---$/, ({ tr }, _match, start) =>
      tr.replaceRangeWith(start - 1, start + 2, schema.node('horizontal_rule')),
    ),
  ],
});

/** Tab moves in lists and tables, where there is something to move; else it leaves the text. */
export const keys = (openLink: Command, openToolbar: Command) => [
  rules,
  keymap({
    'Mod-b': mark('strong'),
    'Mod-i': mark('em'),
    'Mod-u': mark('underline'),
    'Mod-`': mark('code'),
    'Mod-k': openLink,
    'Alt-F10': openToolbar,
    'Mod-z': undo,
    'Mod-y': redo,
    'Shift-Mod-z': redo,
    Backspace: undoInputRule,
    Enter: splitListItem(item),
    'Shift-Enter': lineBreak,
    'Mod-[': liftListItem(item),
    'Mod-]': sinkListItem(item),
    Tab: chainCommands(goToNextCell(1), sinkListItem(item)),
    'Shift-Tab': chainCommands(goToNextCell(-1), liftListItem(item)),
  }),
  keymap(baseKeymap),
];
