import { t } from '../../kernel/words.ts';
import { Feed } from '../../ui/feed.tsx';
import { Empty } from '../../ui/states.tsx';
import { type Page, pagesOf } from './data.ts';

export const PageList = ({ space_id }: { space_id?: number }) => (
  <Feed<Page>
    list={pagesOf(space_id)}
    label={t('place.pages')}
    empty={<Empty icon="book-open" title={t('page.none')} />}
  >
    {(page) => <PageCard page={page} />}
  </Feed>
);

const PageCard = ({ page }: { page: Page }) => (
  <div class="card">
    <h2>
      <a href={`/pages/${page.id}`}>{page.title}</a>
    </h2>
    {page.is_draft === 1 && <p class="kind">{t('page.draft')}</p>}
    {(page.summary || page.subtitle) && <p class="quiet-line">{page.summary || page.subtitle}</p>}
  </div>
);
