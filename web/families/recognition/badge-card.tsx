import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import type { Badge } from './data.ts';
import './recognition.css';

export const BadgePicture = ({ badge: { image } }: { badge: Pick<Badge, 'image'> }) =>
  image ? (
    <img class="badge-picture" src={image} alt="" width="96" height="96" loading="lazy" />
  ) : (
    <span class="badge-picture">
      <Icon name="medal" />
    </span>
  );

export const BadgeCard = ({ badge }: { badge: Badge }) => (
  <article class="badge">
    <BadgePicture badge={badge} />
    <h2>
      <a href={`/badges/${badge.id}`}>
        <bdi>{badge.title}</bdi>
      </a>
    </h2>
    <p class="quiet-line">{t('recognition.holders', { n: badge.badge_received_count })}</p>
  </article>
);
