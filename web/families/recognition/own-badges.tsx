import { useRead } from '../../kernel/screen.tsx';
import { BadgeCard } from './badge-card.tsx';
import { badgesOf } from './data.ts';

/** What somebody holds. */
export function OwnBadges({ id }: { id: number }) {
  const { value: badges = [] } = useRead(() => badgesOf(id), [id]);
  if (badges.length === 0) return null;
  return (
    <ul class="badges">
      {badges.map((badge) => (
        <li key={badge.id}>
          <BadgeCard badge={badge} />
        </li>
      ))}
    </ul>
  );
}
