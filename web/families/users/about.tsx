import type { ComponentChildren } from 'preact';
import { day } from '../../kernel/format.ts';
import { useRead } from '../../kernel/screen.tsx';
import { locale, t } from '../../kernel/words.ts';
import { type Person, positions } from './data.ts';
import { PersonLine } from './person-line.tsx';

const REPORTS_SHOWN = 12;

export function About({ person }: { person: Person }) {
  const { value: reports } = useRead(() => positions(person.id, 0, REPORTS_SHOWN), [person.id]);
  const total = reports?.meta.pagination?.total_records ?? 0;
  return (
    <>
      <dl class="facts">
        <Fact word={t('session.email')}>
          <a href={`mailto:${person.email}`}>{person.email}</a>
        </Fact>
        <Phone word={t('person.direct')} number={person.direct_dial} />
        <Phone word={t('person.mobile')} number={person.mobile_phone} />
        {person.timezone && <Fact word={t('person.time')}>{timeAt(person.timezone)}</Fact>}
        {person.hire_date && (
          <Fact word={t('person.since')}>
            {day(`${person.hire_date}T12:00:00Z`, { year: 'numeric', month: 'long' })}
          </Fact>
        )}
      </dl>
      <Named word={t('person.teams')} href="/teams/" things={person.teams} />
      <Named word={t('place.spaces')} href="/spaces/" things={person.spaces} />
      {person.manager && (
        <Part word={t('person.manager')}>
          <PersonLine person={person.manager} />
        </Part>
      )}
      {reports && total > 0 && (
        <Part word={t('chart.reports', { n: total })}>
          <ul class="people">
            {reports.data.map((one) => (
              <li key={one.id}>
                <PersonLine person={one} />
              </li>
            ))}
          </ul>
          {total > REPORTS_SHOWN && <a href={`/org-chart/${person.id}`}>{t('chart.all')}</a>}
        </Part>
      )}
    </>
  );
}

const Fact = ({ word, children }: { word: string; children: ComponentChildren }) => (
  <>
    <dt>{word}</dt>
    <dd>{children}</dd>
  </>
);
const Phone = ({ word, number }: { word: string; number: string | null }) =>
  number && (
    <Fact word={word}>
      <a dir="ltr" href={`tel:${number.replaceAll(/[^+\d]/g, '')}`}>
        {number}
      </a>
    </Fact>
  );
const Part = ({ word, children }: { word: string; children: ComponentChildren }) => (
  <section class="part">
    <h2>{word}</h2>
    {children}
  </section>
);
interface NamedProps {
  word: string;
  href: string;
  things: readonly { id: number; name: string }[] | undefined;
}
const Named = ({ word, href, things = [] }: NamedProps) =>
  things.length === 0 ? null : (
    <Part word={word}>
      <p class="chips">
        {things.map(({ id, name }) => (
          <a key={id} href={href + id}>
            <bdi>{name}</bdi>
          </a>
        ))}
      </p>
    </Part>
  );
const timeAt = (timeZone: string) =>
  new Intl.DateTimeFormat(locale.value, { timeStyle: 'short', timeZone }).format(new Date());
