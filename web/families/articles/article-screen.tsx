import { day } from '../../kernel/format.ts';
import { Html } from '../../kernel/html.tsx';
import { put, row } from '../../kernel/rows.ts';
import { type Address, useRead, useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Failed, Gone, Loading } from '../../ui/states.tsx';
import { AcknowledgementBar } from '../content/acknowledgement.tsx';
import { Byline } from '../content/byline.tsx';
import { Comments } from '../content/comments.tsx';
import '../content/content.css';
import { ReactionsWithNames } from '../content/reactions.tsx';
import { Seen } from '../notifications/seen.tsx';
import { EditLink } from '../writing/edit-link.tsx';
import { Cover } from './card.tsx';
import { type Article, readArticle } from './data.ts';

const LONG = { dateStyle: 'medium', timeStyle: 'short' } as const;

function ArticleScreen({ slug = '' }: Address) {
  const { value, failed, again } = useRead(async () => {
    const found = await readArticle(slug);
    if (found) put('articles', found);
    return found ?? null;
  }, [slug]);
  const article = value ? row<Article>('articles', value.id).value : value;
  useTitle(article?.title);
  if (article === null) return <Gone />;
  if (!article) return failed ? <Failed refusal={failed} again={again} /> : <Loading />;
  return (
    <>
      <Seen type="article" id={article.id} />
      <EditLink type="article" id={article.id} href={`/articles/${article.id}/edit`} />
      {article.state === 'draft' && <p class="kind">{t('article.draft')}</p>}
      {article.state === 'scheduled' && (
        <p class="kind">{t('article.for_when', { date: day(article.publish_at ?? '', LONG) })}</p>
      )}
      {article.is_archived && <p class="kind">{t('article.archived')}</p>}
      <h1 dir="auto">{article.title}</h1>
      {article.subtitle && (
        <p class="quiet-line" dir="auto">
          {article.subtitle}
        </p>
      )}
      <Byline author={article.creator} at={article.published_at ?? article.created_at} />
      <Cover article={article} />
      <Html html={article.html_content} />
      <AcknowledgementBar kind="articles" thing={article} readAgain={again} />
      <ReactionsWithNames kind="articles" thing={article} />
      <Comments kind="articles" thing={article} />
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default ArticleScreen;
