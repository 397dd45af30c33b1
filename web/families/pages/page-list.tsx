import { row } from '../../kernel/rows.ts';
import { t } from '../../kernel/words.ts';
import { Feed } from '../../ui/feed.tsx';
import { Empty } from '../../ui/states.tsx';
import { type Page, pagesOf } from './data.ts';

export const PageList = ({ space_id }: { space_id?: number }) => (
  <Feed list={pagesOf(space_id)} label={t('place.pages')} empty={<Empty icon="book-open" title={t('page.none')} />}>
    {({ id }) => <PageCard id={id} />}
  </Feed>
);

function PageCard({ id }: { id: number }) {
  const page = row<Page>('page-titles', id).value;
  if (!page) return null;
  return (
    <div class="card">
      <h2>
        <a href={`/pages/${id}`}>{page.title}</a>
      </h2>
      {page.is_draft === 1 && <p class="kind">{t('page.draft')}</p>}
      {(page.summary || page.subtitle) && <p class="quiet-line">{page.summary || page.subtitle}</p>}
    </div>
  );
}
