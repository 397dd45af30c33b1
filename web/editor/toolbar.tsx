// What can be done to the text, as a toolbar of ARIA: one stop for Tab, arrows within it.

import { useRef, useState } from 'preact/hooks';
import { lift, setBlockType, wrapIn } from 'prosemirror-commands';
import { redo, undo } from 'prosemirror-history';
import { liftListItem, wrapInList } from 'prosemirror-schema-list';
import { type Command, type EditorState, TextSelection } from 'prosemirror-state';
import {
  addColumnAfter,
  addRowAfter,
  deleteColumn,
  deleteRow,
  deleteTable,
  isInTable,
  toggleHeaderRow,
} from 'prosemirror-tables';
import type { IconName } from '../icons.ts';
import { t, type Word } from '../kernel/words.ts';
import { IconButton } from '../ui/button.tsx';
import { mark } from './keys.ts';
import { schema } from './schema.ts';
import type { Editing } from './view.ts';

const { nodes, marks } = schema;
interface Tool {
  icon: IconName;
  word: Word;
  run: Command;
  /** Is it so already? Undefined: it is no state, but something to do. */
  isOn?: (state: EditorState) => boolean;
}
const isInside = ({ selection: { $from } }: EditorState, name: string) =>
  Array.from({ length: $from.depth + 1 }, (_, depth) => $from.node(depth).type.name).includes(name);
const hasMark = ({ selection: { from, $from, to, empty }, storedMarks, doc }: EditorState, name: string) => {
  const type = marks[name];
  if (!type) return false;
  return empty ? !!type.isInSet(storedMarks ?? $from.marks()) : doc.rangeHasMark(from, to, type);
};
const marking = (name: string, icon: IconName): Tool => ({
  icon,
  word: `editor.${name}` as Word,
  run: mark(name),
  isOn: (state) => hasMark(state, name),
});
const around = (name: string, icon: IconName, wrap: Command, unwrap: Command): Tool => ({
  icon,
  word: `editor.${name}` as Word,
  run: (state, dispatch) => (isInside(state, name) ? unwrap : wrap)(state, dispatch),
  isOn: (state) => isInside(state, name),
});
const type = (name: string) => nodes[name] as never;
const insert =
  (make: () => Parameters<EditorState['tr']['replaceSelectionWith']>[0]): Command =>
  (state, dispatch) => {
    dispatch?.(state.tr.replaceSelectionWith(make()).scrollIntoView());
    return true;
  };
function newTable() {
  const cells = (name: string) => Array.from({ length: 3 }, () => schema.node(name, null, [schema.node('paragraph')]));
  return schema.node('table', null, [
    schema.node('table_row', null, cells('table_header')),
    schema.node('table_row', null, cells('table_cell')),
    schema.node('table_row', null, cells('table_cell')),
  ]);
}
/** The first cell is typed into next. */
const insertTable: Command = (state, dispatch) => {
  const tr = state.tr.replaceSelectionWith(newTable());
  const before = tr.mapping.map(state.selection.from, -1);
  dispatch?.(tr.setSelection(TextSelection.near(tr.doc.resolve(before + 1))).scrollIntoView());
  return true;
};

const outOfList = liftListItem(type('list_item'));
const tools: readonly Tool[] = [
  marking('strong', 'bold'),
  marking('em', 'italic'),
  marking('code', 'code'),
  around('bullet_list', 'list', wrapInList(type('bullet_list')), outOfList),
  around('ordered_list', 'list-ordered', wrapInList(type('ordered_list')), outOfList),
  around('blockquote', 'quote', wrapIn(type('blockquote')), lift),
  around('callout', 'info', wrapIn(type('callout')), lift),
  { icon: 'table', word: 'editor.table', run: insertTable },
  { icon: 'minus', word: 'editor.rule', run: insert(() => schema.node('horizontal_rule')) },
  { icon: 'undo-2', word: 'editor.undo', run: undo },
  { icon: 'redo-2', word: 'editor.redo', run: redo },
];
const ofTables: readonly Tool[] = [
  { icon: 'between-vertical-start', word: 'editor.add_row', run: addRowAfter },
  { icon: 'between-horizontal-start', word: 'editor.add_column', run: addColumnAfter },
  { icon: 'fold-vertical', word: 'editor.delete_row', run: deleteRow },
  { icon: 'fold-horizontal', word: 'editor.delete_column', run: deleteColumn },
  { icon: 'heading', word: 'editor.header_row', run: toggleHeaderRow },
  { icon: 'trash-2', word: 'editor.delete_table', run: deleteTable },
];

const KINDS: readonly (readonly [string, Word])[] = [
  ['paragraph', 'editor.paragraph'],
  ['heading2', 'editor.heading2'],
  ['heading3', 'editor.heading3'],
  ['heading4', 'editor.heading4'],
  ['code_block', 'editor.code_block'],
];
const kindOf = ({ selection: { $from } }: EditorState) =>
  $from.parent.type.name + ($from.parent.type.name === 'heading' ? $from.parent.attrs.level : '');
function setKind(kind: string): Command {
  const [, name = kind, level] = /^(heading)(\d)$/.exec(kind) ?? [];
  return setBlockType(type(name), level ? { level: Number(level) } : null);
}

interface Props {
  editing: Editing;
  place: { current: HTMLDivElement | null };
  openLink: () => void;
}
export function Toolbar({ editing: { view, state, pictures }, place, openLink }: Props) {
  const now = state.value;
  const files = useRef<HTMLInputElement>(null);
  const [stop, setStop] = useState(0);
  const run = (command: Command) => {
    command(view.state, view.dispatch, view);
    view.focus();
  };
  const shown = isInTable(now) ? [...tools, ...ofTables] : tools;
  let n = 0;
  const own = () => {
    const at = n++;
    return { tabIndex: at === stop ? 0 : -1, onFocus: () => setStop(at) };
  };
  const move = (event: KeyboardEvent) => {
    const all = [...(place.current?.querySelectorAll<HTMLElement>('[tabindex]') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const isBackwards = document.documentElement.dir === 'rtl';
    const step = { ArrowRight: isBackwards ? -1 : 1, ArrowLeft: isBackwards ? 1 : -1 }[event.key];
    if (event.key === 'Escape') view.focus();
    else if (event.key === 'Home') all[0]?.focus();
    else if (event.key === 'End') all.at(-1)?.focus();
    else if (step) all.at((at + step) % all.length)?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <div class="toolbar" role="toolbar" aria-label={t('editor.tools')} ref={place} onKeyDown={move}>
      <select
        aria-label={t('editor.kind')}
        value={kindOf(now)}
        onChange={({ currentTarget }) => run(setKind(currentTarget.value))}
        {...own()}
      >
        {KINDS.map(([kind, word]) => (
          <option key={kind} value={kind}>
            {t(word)}
          </option>
        ))}
      </select>
      {shown.slice(0, 3).map((tool) => (
        <ToolButton key={tool.word} {...{ tool, now, run, own }} />
      ))}
      <IconButton
        icon="link"
        label={t('editor.link')}
        aria-pressed={hasMark(now, 'link')}
        onClick={openLink}
        {...own()}
      />
      <IconButton icon="image" label={t('editor.picture')} onClick={() => files.current?.click()} {...own()} />
      {shown.slice(3).map((tool) => (
        <ToolButton key={tool.word} {...{ tool, now, run, own }} />
      ))}
      <input
        ref={files}
        type="file"
        hidden
        multiple
        accept="image/png,image/jpeg,image/gif,image/webp,image/avif"
        onChange={({ currentTarget }) => {
          pictures.add(view, [...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </div>
  );
}

interface ToolProps {
  tool: Tool;
  now: EditorState;
  run: (command: Command) => void;
  own: () => object;
}
const ToolButton = ({ tool: { icon, word, run: command, isOn }, now, run, own }: ToolProps) => (
  <IconButton
    icon={icon}
    label={t(word)}
    aria-pressed={isOn?.(now)}
    aria-disabled={!command(now)}
    onMouseDown={(event) => event.preventDefault()}
    onClick={() => run(command)}
    {...own()}
  />
);
