import { useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Feed } from '../../ui/feed.tsx';
import { Empty } from '../../ui/states.tsx';
import '../content/content.css';
import { ArticleBody } from './card.tsx';
import { type Article, articles } from './data.ts';

function ArticlesScreen() {
  useTitle(t('place.articles'));
  return (
    <>
      <h1>{t('place.articles')}</h1>
      <Feed<Article>
        list={articles()}
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
