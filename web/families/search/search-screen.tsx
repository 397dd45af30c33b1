import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useRead, useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import '../content/content.css';
import { type Asked, asked, foundTypes, RESULTS_SHOWN, search } from './data.ts';
import { Filters } from './filters.tsx';
import { Result } from './result.tsx';
import './search.css';

function addressOf(wanted: Asked) {
  const given = asked.flatMap((name) => (wanted[name] ? [[name, wanted[name]]] : []));
  return `/search?${new URLSearchParams(given)}`;
}

function SearchScreen() {
  const { query, route } = useLocation();
  const wanted = query as Asked;
  const { q = '', type = '' } = wanted;
  const field = useRef<HTMLInputElement>(null);
  useTitle(q ? t('search.title', { q }) : t('search.one'));
  /** Another choice begins at the first page. */
  const change = (some: Asked) => route(addressOf({ ...wanted, page: '', ...some }), true);
  useEffect(() => {
    if (!q) field.current?.focus();
  }, []);
  return (
    <>
      <h1>{t('search.one')}</h1>
      <search class="searching">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            route(addressOf({ ...wanted, page: '', q: field.current?.value.trim() ?? '' }));
          }}
        >
          <input
            key={q}
            ref={field}
            class="input"
            type="search"
            dir="auto"
            maxLength={500}
            defaultValue={q}
            aria-label={t('search.words')}
            placeholder={t('search.words')}
          />
          <Button type="submit" look="main" icon="search">
            {t('search.go')}
          </Button>
        </form>
        <nav class="chips" aria-label={t('search.types')}>
          {(['', ...foundTypes] as const).map((one) => (
            <a key={one} href={addressOf({ ...wanted, page: '', type: one })} aria-current={one === type || undefined}>
              {t(`search.type_${one || 'all'}`)}
            </a>
          ))}
        </nav>
        <Filters wanted={wanted} onChange={change} />
      </search>
      <Results wanted={wanted} />
    </>
  );
}

function Results({ wanted }: { wanted: Asked }) {
  const { value, failed, again } = useRead(() => search(wanted), [addressOf(wanted)]);
  if (failed) return <Failed refusal={failed} again={again} />;
  if (!value) return <Loading lines={8} />;
  const { data, meta } = value;
  const total = meta.pagination?.total_records ?? data.length;
  const page = Number(wanted.page) || 1;
  return (
    <section class="results" aria-label={t('search.results')}>
      <p role="status" class="quiet-line">
        {wanted.q
          ? t(meta.is_total_exact ? 'search.total' : 'search.total_over', { n: total, q: wanted.q })
          : t('search.newest')}
      </p>
      {meta.did_you_mean && (
        <p>
          {t('search.meant')}{' '}
          <a class="meant" href={addressOf({ ...wanted, page: '', q: meta.did_you_mean })}>
            <bdi>{meta.did_you_mean}</bdi>
          </a>
        </p>
      )}
      {data.length === 0 ? (
        <Empty icon="search" title={t('search.none')}>
          <p>{t('search.advice')}</p>
          {(wanted.type || wanted.space || wanted.person || wanted.from || wanted.to || wanted.language) && (
            <p>
              <a href={addressOf({ q: wanted.q ?? '' })}>{t('search.without_filters')}</a>
            </p>
          )}
        </Empty>
      ) : (
        <ol>
          {data.map((found) => (
            <li key={`${found.type}${found.id}`}>
              <Result found={found} />
            </li>
          ))}
        </ol>
      )}
      <Pages
        {...{ page, total }}
        size={RESULTS_SHOWN}
        hrefOf={(n) => addressOf({ ...wanted, page: n === 1 ? '' : String(n) })}
      />
      <p class="quiet-line">
        <Icon name="keyboard" /> {t('search.palette')}
      </p>
    </section>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default SearchScreen;
