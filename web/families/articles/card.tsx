import { Byline } from '../content/byline.tsx';
import type { Article } from './data.ts';

/** An article in a list: enough to decide whether to read it. */
export const ArticleBody = ({ article }: { article: Article }) => (
  <>
    <Cover article={article} />
    <h2>
      <a href={`/articles/${article.slug}`}>{article.title}</a>
    </h2>
    {article.subtitle && <p class="quiet-line">{article.subtitle}</p>}
    <Byline author={article.creator} at={article.published_at ?? article.created_at} />
  </>
);

export const Cover = ({ article: { cover_image } }: { article: Pick<Article, 'cover_image'> }) =>
  cover_image && (
    <div class="gallery">
      <img
        src={cover_image.thumbnail_url ?? cover_image.url}
        alt=""
        width={cover_image.width ?? undefined}
        height={cover_image.height ?? undefined}
      />
    </div>
  );
