import { useLocation } from 'preact-iso';
import { useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Feed } from '../../ui/feed.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/states.tsx';
import '../content/content.css';
import { placesFor, useRights } from '../writing/rights.ts';
import { ArticleBody } from './card.tsx';
import { type Article, articles } from './data.ts';

const states = [
  ['published', 'article.published'],
  ['draft', 'article.drafts'],
  ['scheduled', 'article.scheduled'],
] as const;

function ArticlesScreen() {
  const { query } = useLocation();
  const state = states.find(([name]) => name === query.state)?.[0] ?? 'published';
  const rights = useRights('organisation');
  const { isForAll, spaces } = placesFor(rights ?? { can: [], spaces: [] }, 'write_articles');
  useTitle(t('place.articles'));
  return (
    <>
      <h1>{t('place.articles')}</h1>
      {(isForAll || spaces.length > 0) && (
        <>
          <p>
            <a class="button" href="/articles/new">
              <Icon name="plus" />
              {t('article.write')}
            </a>
          </p>
          <nav class="tabs" aria-label={t('place.articles')}>
            {states.map(([name, word]) => (
              <a key={name} href={`/articles?state=${name}`} aria-current={state === name ? 'page' : undefined}>
                {t(word)}
              </a>
            ))}
          </nav>
        </>
      )}
      <Feed<Article>
        list={articles(state)}
        label={t('place.articles')}
        empty={<Empty icon="newspaper" title={t('article.none')} />}
      >
        {(article) => (
          <div class="card">
            <ArticleBody article={article} />
          </div>
        )}
      </Feed>
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default ArticlesScreen;
