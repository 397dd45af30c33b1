// Pages as nested lists: links, with a button beside each that opens what is below. Screen readers and keys know all of
// that; arrows are a shorter way.
import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../kernel/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { type Rights, useRights } from '../writing/rights.ts';
import '../writing/writing.css';
import './pages.css';
import {
  type Direction,
  levelAt,
  movePage,
  nodeOf,
  note,
  open,
  opened,
  type PageNode,
  type Place,
  readLevel,
  stepFrom,
  type Target,
} from './tree.ts';

interface Arranging {
  space_id: number | null;
  isOn: boolean;
  /** What the focus goes to when it has been moved. */
  focus: { current: string | undefined };
  move: (page: PageNode, to: Target | undefined) => Promise<void>;
}
const Context = createContext<Arranging>({} as Arranging);

const writesIn = (rights: Rights | undefined) => rights?.can.includes('write_pages') ?? false;

export function PageTree({ space_id }: { space_id: number | null }) {
  const may = writesIn(useRights(space_id ? 'space' : 'organisation', space_id ?? undefined));
  const [isOn, setOn] = useState(false);
  const [said, setSaid] = useState('');
  const focus = useRef<string | undefined>(undefined);
  const place = useRef<HTMLDivElement>(null);
  const move = async (page: PageNode, to: Target | undefined) => {
    if (!to) return setSaid(t('page.stays', { title: page.title }));
    try {
      await movePage(page, space_id, to);
      const above = to.parent_id === null ? undefined : nodeOf(to.parent_id)?.title;
      setSaid(t('page.moved', { title: page.title, above: above ?? t('page.top') }));
      requestAnimationFrame(() => place.current?.querySelector<HTMLElement>(`#${focus.current}`)?.focus());
    } catch {
      say(t('state.failed'));
    }
  };
  return (
    <Context.Provider value={{ space_id, isOn, focus, move }}>
      {may && (
        <p class="ending">
          <a class="button" href={`/pages/new${space_id ? `?space=${space_id}` : ''}`}>
            <Icon name="plus" />
            {t('page.write')}
          </a>
          <Button aria-pressed={isOn} onClick={() => setOn(!isOn)}>
            {t('page.arrange')}
          </Button>
        </p>
      )}
      {isOn && <p class="quiet-line">{t('page.arrange_how')}</p>}
      <nav class="page-tree" aria-label={t('place.pages')} ref={place} onKeyDown={walk}>
        <LevelList place={{ space_id, parent_id: null }} />
      </nav>
      <p class="heard" role="status">
        {said}
      </p>
    </Context.Provider>
  );
}

/** Up and down through what is shown; to the side opens, closes, and leads to what is above. */
function walk(event: KeyboardEvent) {
  const link = event.target as HTMLElement;
  if (!link.matches('a[data-page]') || event.altKey || event.ctrlKey || event.metaKey) return;
  const links = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('a[data-page]')];
  const at = links.indexOf(link);
  const id = Number(link.dataset.page);
  const isBackwards = document.documentElement.dir === 'rtl';
  const [inwards, outwards] = isBackwards ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft'];
  if (event.key === 'ArrowDown') links[at + 1]?.focus();
  else if (event.key === 'ArrowUp') links[at - 1]?.focus();
  else if (event.key === inwards && nodeOf(id)?.has_children) open(id, true);
  else if (event.key === outwards && opened.value.has(id)) open(id, false);
  else if (event.key === outwards)
    link.closest('ul')?.closest('li')?.querySelector<HTMLElement>('a[data-page]')?.focus();
  else return;
  event.preventDefault();
}

function LevelList({ place }: { place: Place }) {
  const level = levelAt(place).value;
  useEffect(() => void readLevel(place), [place.space_id, place.parent_id]);
  if (!level) return <Loading />;
  if (level.failed) return <Failed refusal={level.failed} again={() => readLevel(place)} />;
  if (level.pages.length === 0)
    return place.parent_id === null ? <Empty icon="book-open" title={t('page.none')} /> : null;
  return (
    <>
      <ul>
        {level.pages.map((page) => (
          <Node key={page.id} page={page} />
        ))}
      </ul>
      {level.has_more && <Button onClick={() => readLevel(place, true)}>{t('action.more')}</Button>}
    </>
  );
}

const KEYS: Record<string, Direction> = { ArrowUp: 'up', ArrowDown: 'down', ArrowRight: 'in', ArrowLeft: 'out' };
const OTHER_WAY: Partial<Record<Direction, Direction>> = { in: 'out', out: 'in' };
const directions = [
  ['up', 'arrow-up'],
  ['down', 'arrow-down'],
  ['in', 'indent-increase'],
  ['out', 'indent-decrease'],
] as const;

function Node({ page }: { page: PageNode }) {
  note(page);
  const { space_id, isOn, focus, move } = useContext(Context);
  const isOpen = opened.value.has(page.id);
  const step = (direction: Direction, from: string) => {
    focus.current = from;
    return move(page, stepFrom(page, direction, space_id));
  };
  const onKey = (event: KeyboardEvent) => {
    const direction = event.altKey && event.shiftKey ? KEYS[event.key] : undefined;
    if (!isOn || !direction) return;
    event.preventDefault();
    const isBackwards = document.documentElement.dir === 'rtl';
    void step((isBackwards && OTHER_WAY[direction]) || direction, `page-${page.id}`);
  };
  return (
    <li>
      <div class="line" {...(isOn ? dragging(page, space_id, move) : {})}>
        {page.has_children ? (
          <IconButton
            icon={isOpen ? 'chevron-down' : 'chevron-right'}
            label={t('page.below_of', { title: page.title })}
            aria-expanded={isOpen}
            onClick={() => open(page.id, !isOpen)}
          />
        ) : (
          <span class="leaf">
            <Icon name="file-text" />
          </span>
        )}
        <a id={`page-${page.id}`} data-page={page.id} href={`/pages/${page.id}`} onKeyDown={onKey} dir="auto">
          {page.title}
        </a>
        {page.is_draft && <span class="kind">{t('page.draft')}</span>}
        {isOn && (
          <span class="moves">
            {directions.map(([direction, icon]) => (
              <IconButton
                key={direction}
                id={`page-${page.id}-${direction}`}
                icon={icon}
                label={t(`page.move_${direction}`, { title: page.title })}
                onClick={() => step(direction, `page-${page.id}-${direction}`)}
              />
            ))}
          </span>
        )}
      </div>
      {page.has_children && isOpen && <LevelList place={{ space_id, parent_id: page.id }} />}
    </li>
  );
}

let dragged: PageNode | undefined;
/** The upper quarter of a line is before it, the lower after it, and what is between is below it. */
function dragging(page: PageNode, space_id: number | null, move: Arranging['move']) {
  const partOf = (event: DragEvent) => {
    const { top, height } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const part = (event.clientY - top) / height;
    return part < 0.25 ? 'before' : part > 0.75 ? 'after' : 'into';
  };
  const show = (event: DragEvent, part?: string) => {
    const line = event.currentTarget as HTMLElement;
    if (part) line.dataset.drop = part;
    else delete line.dataset.drop;
  };
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      dragged = page;
      event.dataTransfer?.setData('text/plain', page.title);
    },
    onDragOver: (event: DragEvent) => {
      if (!dragged || dragged.id === page.id) return;
      event.preventDefault();
      show(event, partOf(event));
    },
    onDragLeave: (event: DragEvent) => show(event),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      show(event);
      const part = partOf(event);
      const siblings = levelAt({ space_id, parent_id: page.parent_id }).peek()?.pages ?? [];
      const next = siblings[siblings.findIndex(({ id }) => id === page.id) + 1]?.id ?? null;
      const to =
        part === 'into'
          ? { parent_id: page.id, before_id: null }
          : { parent_id: page.parent_id, before_id: part === 'before' ? page.id : next };
      if (dragged && to.before_id !== dragged.id) void move(dragged, to);
      dragged = undefined;
    },
  };
}
