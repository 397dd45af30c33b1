import { day } from '../../kernel/format.ts';
import { type Address, Thing, useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import '../content/content.css';
import { PersonLine } from '../users/person-line.tsx';
import { BadgePicture } from './badge-card.tsx';
import { type Badge, holdersOf, readBadge } from './data.ts';
import { KudosList } from './kudos-list.tsx';

const BadgeScreen = ({ id = '' }: Address) => (
  <Thing<Badge> kind="badges" id={Number(id)} read={readBadge} title={({ title }) => title}>
    {(badge) => (
      <>
        <div class="head">
          <BadgePicture badge={badge} />
          <div>
            <h1>
              <bdi>{badge.title}</bdi>
            </h1>
            <p class="quiet-line">{t('recognition.holders', { n: badge.badge_received_count })}</p>
          </div>
        </div>
        {badge.description && <p dir="auto">{badge.description}</p>}
        {badge.rules_active && <Rules badge={badge} />}
        <Holders badge={badge} />
        <section class="part">
          <h2>{t('recognition.with_badge')}</h2>
          <KudosList wanted={{ badge_id: badge.id }} />
        </section>
      </>
    )}
  </Thing>
);

const Rules = ({ badge: { rules, rules_needed } }: { badge: Badge }) => (
  <section class="part">
    <h2>{t(rules_needed === 'all' ? 'recognition.rules_all' : 'recognition.rules_any')}</h2>
    <ul>
      {rules.map(({ type, threshold = 0 }) => (
        <li key={type}>{t(`recognition.${type}`, { n: threshold })}</li>
      ))}
    </ul>
  </section>
);

function Holders({ badge: { id } }: { badge: Badge }) {
  const { value: holders = [] } = useRead(() => holdersOf(id), [id]);
  if (holders.length === 0) return null;
  return (
    <section class="part">
      <h2>{t('recognition.held_by')}</h2>
      <ul class="people">
        {holders.map(({ user, created_at }) => (
          <li key={user.id}>
            <PersonLine person={user} note={day(created_at)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default BadgeScreen;
