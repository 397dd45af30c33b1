import { useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Feed } from '../../ui/feed.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Kind } from '../content/data.ts';
import { NewsCard, type NewsThing } from '../home/news-card.tsx';
import type { Page } from '../pages/data.ts';
import { savedThings } from './data.ts';
import { Save } from './save.tsx';

function SavedScreen() {
  useTitle(t('saved.title'));
  return (
    <>
      <h1>{t('saved.title')}</h1>
      <Feed<NewsThing & Page>
        list={savedThings()}
        label={t('saved.title')}
        empty={<Empty icon="bookmark" title={t('saved.none')} />}
      >
        {(thing, kind) =>
          kind === 'pages' ? (
            <PageCard page={thing} />
          ) : (
            <NewsCard kind={kind as Exclude<Kind, 'pages'>} thing={thing} />
          )
        }
      </Feed>
    </>
  );
}
const PageCard = ({ page }: { page: Page }) => (
  <div class="card">
    <h2 dir="auto">
      <a href={`/pages/${page.id}`}>{page.title}</a>
    </h2>
    {page.summary && <p dir="auto">{page.summary}</p>}
    <div class="counts">
      <Save kind="pages" thing={page} />
    </div>
  </div>
);
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default SavedScreen;
