import { day } from '../../kernel/format.ts';
import { useRead, useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import '../content/content.css';
import { iconOf } from '../search/icons.ts';
import './acknowledgements.css';
import { type MustRead, readMustReads } from './data.ts';

function AcknowledgementsScreen() {
  useTitle(t('mustread.all'));
  const { value: asked, failed, again } = useRead(readMustReads, []);
  return (
    <>
      <h1>{t('mustread.all')}</h1>
      {failed && <Failed refusal={failed} again={again} />}
      {!asked && !failed && <Loading lines={6} />}
      {asked?.length === 0 && <Empty icon="check" title={t('mustread.none')} />}
      {asked && asked.length > 0 && (
        <>
          <p class="quiet-line" role="status">
            {t('mustread.total', { n: asked.length })}
          </p>
          <ul class="must-reads">
            {asked.map((one) => (
              <li key={one.href}>
                <OneAsked one={one} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function OneAsked({ one: { type, title, author, due_at, href } }: { one: MustRead }) {
  const isLate = due_at !== null && new Date(due_at) < new Date();
  return (
    <article class="card must-read">
      <Icon name={iconOf[type]} />
      <div>
        <h2>
          <a href={href} dir="auto">
            {title}
          </a>
        </h2>
        <p class="quiet-line">
          <bdi>{author}</bdi>
        </p>
      </div>
      <p class={isLate ? 'due late' : 'due'}>
        <Icon name={isLate ? 'circle-alert' : 'clock'} />
        {due_at ? t(isLate ? 'mustread.late' : 'mustread.due', { date: day(due_at) }) : t('mustread.no_date')}
      </p>
    </article>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default AcknowledgementsScreen;
