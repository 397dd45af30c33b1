// Who reports to whom, as far as it has been opened: a level is read when somebody wants to see it.
import { useEffect, useState } from 'preact/hooks';
import { Refusal } from '../../kernel/call.ts';
import { managersOf, type Position, positions } from './data.ts';

interface Level {
  readonly people: readonly Position[];
  readonly total: number;
}
export interface ChartRow {
  readonly level: number;
  readonly place: number;
  readonly of: number;
  readonly person: Position;
  readonly isOpen: boolean;
}
/** Where a level goes on: whose it is. */
export interface MoreRow {
  readonly level: number;
  readonly more: number | undefined;
  readonly left: number;
}
/** The key of those who have no manager. */
const TOP = 0;

export function useChart(begin: number | undefined) {
  const [levels, setLevels] = useState<ReadonlyMap<number, Level>>(new Map());
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [failed, setFailed] = useState<Refusal>();
  const settle = (work: Promise<unknown>) => work.catch((error) => setFailed(Refusal.of(error)));
  const read = async (id: number | undefined, skip = 0) => {
    const { data, meta } = await positions(id, skip);
    const total = meta.pagination?.total_records ?? data.length;
    setLevels((all) => {
      const before = skip > 0 ? (all.get(id ?? TOP)?.people ?? []) : [];
      return new Map(all).set(id ?? TOP, { people: [...before, ...data], total });
    });
    return data;
  };
  const start = () => {
    setFailed(undefined);
    void settle(
      (async () => {
        const [top, above] = await Promise.all([read(undefined), begin ? managersOf(begin) : []]);
        // Down to whom the address names; otherwise, where one stands at the top, that one's own level.
        const path = begin ? above : top.length === 1 ? top : [];
        const opened = path.filter(({ reports_count }) => reports_count > 0).map(({ id }) => id);
        await Promise.all(opened.map((id) => read(id)));
        setOpen(new Set(opened));
      })(),
    );
  };
  useEffect(start, [begin]);

  const toggle = (person: Position, isOpen: boolean) => {
    if (isOpen && !levels.has(person.id)) void settle(read(person.id));
    setOpen((all) => {
      const next = new Set(all);
      if (isOpen) next.add(person.id);
      else next.delete(person.id);
      return next;
    });
  };
  const goOn = (id: number | undefined) => settle(read(id, levels.get(id ?? TOP)?.people.length ?? 0));
  return { rows: levels.has(TOP) ? rowsOf(levels, open, undefined, 0) : undefined, failed, start, toggle, goOn };
}

function rowsOf(
  levels: ReadonlyMap<number, Level>,
  open: ReadonlySet<number>,
  id: number | undefined,
  level: number,
): (ChartRow | MoreRow)[] {
  const { people, total } = levels.get(id ?? TOP) ?? { people: [], total: 0 };
  const rows = people.flatMap((person, n): (ChartRow | MoreRow)[] => {
    const isOpen = open.has(person.id);
    const own = { level, place: n + 1, of: total, person, isOpen };
    return isOpen ? [own, ...rowsOf(levels, open, person.id, level + 1)] : [own];
  });
  return people.length < total ? [...rows, { level, more: id, left: total - people.length }] : rows;
}
