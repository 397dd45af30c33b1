// The tree of WAI-ARIA: one row has the tab stop; arrows walk, open and close; Enter leads to the person.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type Address, useTitle } from '../../kernel/screen.tsx';
import { me } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import '../content/content.css';
import { type ChartRow, type MoreRow, useChart } from './org-chart.ts';
import './users.css';

const OrgChartScreen = ({ id }: Address) => {
  const begin = Number(id) || undefined;
  const { rows, failed, start, toggle, goOn } = useChart(begin);
  useTitle(t('chart.one'));
  return (
    <>
      <h1>{t('chart.one')}</h1>
      <p class="counts">
        <a href="/directory">
          <Icon name="users" />
          {t('people.all')}
        </a>
        <a href={`/org-chart/${me().id}`}>
          <Icon name="circle-user" />
          {t('chart.me')}
        </a>
      </p>
      {failed && <Failed refusal={failed} again={start} />}
      {!rows && !failed && <Loading lines={8} />}
      {rows?.length === 0 && <Empty icon="network" title={t('chart.none')} />}
      {rows && rows.length > 0 && <Tree key={begin} {...{ rows, begin, toggle, goOn }} />}
    </>
  );
};

const keyOf = (row: ChartRow | MoreRow) => ('person' in row ? `p${row.person.id}` : `m${row.more ?? ''}`);
interface TreeProps extends Pick<ReturnType<typeof useChart>, 'toggle' | 'goOn'> {
  rows: readonly (ChartRow | MoreRow)[];
  begin: number | undefined;
}
function Tree({ rows, begin, toggle, goOn }: TreeProps) {
  const { route } = useLocation();
  const tree = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(begin ? `p${begin}` : '');
  const [isWalking, setWalking] = useState(false);
  const at = Math.max(
    rows.findIndex((row) => keyOf(row) === current),
    0,
  );
  const itemAt = (n: number) => tree.current?.children[n] as HTMLElement | undefined;
  useEffect(() => {
    if (isWalking) itemAt(at)?.focus();
  }, [at, isWalking]);
  useEffect(() => {
    if (begin && rows[at] && keyOf(rows[at]) === `p${begin}`) itemAt(at)?.scrollIntoView({ block: 'center' });
  }, [rows.length > 1]);
  const go = (n: number) => {
    const row = rows[Math.min(Math.max(n, 0), rows.length - 1)];
    setWalking(true);
    if (row) setCurrent(keyOf(row));
  };
  const above = (n: number) => rows.findLastIndex((row, m) => m < n && row.level < (rows[n]?.level ?? 0));
  const press = (row: ChartRow | MoreRow) => {
    if ('person' in row) route(`/directory/people/${row.person.id}`);
    else void goOn(row.more);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const isRightToLeft = getComputedStyle(event.currentTarget as Element).direction === 'rtl';
    const deeper = isRightToLeft ? 'ArrowLeft' : 'ArrowRight';
    const isParent = 'person' in row && row.person.reports_count > 0;
    if (event.key === 'ArrowDown') go(at + 1);
    else if (event.key === 'ArrowUp') go(at - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(rows.length - 1);
    else if (event.key === 'Enter' || event.key === ' ') press(row);
    else if (event.key === deeper) {
      if (isParent && !row.isOpen) toggle(row.person, true);
      else if (isParent) go(at + 1);
    } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      if (isParent && row.isOpen) toggle(row.person, false);
      else if (row.level > 0) go(above(at));
    } else return;
    event.preventDefault();
  };
  return (
    <div ref={tree} role="tree" aria-label={t('chart.one')} tabIndex={-1} onKeyDown={onKeyDown}>
      {rows.map((row, n) => {
        const isParent = 'person' in row && row.person.reports_count > 0;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the tree's.
          <div
            key={keyOf(row)}
            role="treeitem"
            tabIndex={n === at ? 0 : -1}
            style={{ '--level': row.level }}
            aria-level={row.level + 1}
            aria-selected={'person' in row && row.person.id === begin}
            aria-setsize={'person' in row ? row.of : undefined}
            aria-posinset={'person' in row ? row.place : undefined}
            aria-expanded={isParent ? row.isOpen : undefined}
            onFocus={() => setCurrent(keyOf(row))}
            onClick={() => (isParent ? toggle(row.person, !row.isOpen) : press(row))}
          >
            {'person' in row ? <Row row={row} /> : <span class="who">{t('chart.more', { n: row.left })}</span>}
          </div>
        );
      })}
    </div>
  );
}

function Row({ row: { person } }: { row: ChartRow }) {
  const { id, name, job_title, avatar_url, is_active, reports_count } = person;
  return (
    <>
      <span class="twist">{reports_count > 0 && <Icon name="chevron-right" />}</span>
      <Avatar src={avatar_url} size="s" />
      <span class="who">
        {/* The row's own click opens the level. */}
        <a href={`/directory/people/${id}`} tabIndex={-1} onClick={(event) => event.stopPropagation()}>
          <bdi>{name}</bdi>
        </a>
        <small>
          <bdi>{is_active ? job_title : t('person.left')}</bdi>
        </small>
      </span>
      {reports_count > 0 && <span class="reports">{t('chart.reports', { n: reports_count })}</span>}
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default OrgChartScreen;
