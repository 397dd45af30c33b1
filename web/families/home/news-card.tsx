import { t, type Word } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { ArticleBody } from '../articles/card.tsx';
import type { Article } from '../articles/data.ts';
import { EventBody } from '../events/card.tsx';
import type { CalendarEvent } from '../events/data.ts';
import { PostBody } from '../posts/card.tsx';
import type { Update } from '../posts/data.ts';
import '../content/content.css';
import { Reactions } from '../content/reactions.tsx';
import { Save } from '../saved/save.tsx';
import type { NewsRow } from './data.ts';

const kinds: Record<NewsRow['kind'], { icon: 'megaphone' | 'award' | 'newspaper' | 'calendar'; word: Word }> = {
  updates: { icon: 'megaphone', word: 'update.one' },
  kudos: { icon: 'award', word: 'kudos.one' },
  articles: { icon: 'newspaper', word: 'article.one' },
  events: { icon: 'calendar', word: 'event.one' },
};

/** Of its kind it has all fields; of the others those that they share. */
export type NewsThing = Update & Article & CalendarEvent;

export function NewsCard({ kind, thing }: { kind: NewsRow['kind']; thing: NewsThing }) {
  const href = kind === 'articles' ? `/articles/${thing.slug}` : `/${kind}/${thing.id}`;
  return (
    <div class="card">
      <p class="kind">
        <Icon name={kinds[kind].icon} />
        {t(kinds[kind].word)}
      </p>
      {kind === 'articles' && <ArticleBody article={thing} />}
      {kind === 'events' && <EventBody event={thing} />}
      {(kind === 'updates' || kind === 'kudos') && <PostBody post={thing} />}
      <div class="counts">
        <Reactions kind={kind} thing={thing} />
        <Save kind={kind} thing={thing} />
        <a href={`${href}#comments`}>
          <Icon name="message-circle" />
          {t('content.comments', { n: thing.comments_count })}
        </a>
      </div>
    </div>
  );
}
