import { useRead, useTitle } from '../../kernel/screen.tsx';
import { me } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import '../content/content.css';
import { BadgeCard } from './badge-card.tsx';
import { type Badge, badgesOf, readBadges } from './data.ts';

function BadgesScreen() {
  useTitle(t('recognition.badges'));
  const { value, failed, again } = useRead(() => Promise.all([readBadges(), badgesOf(me().id)]), []);
  if (failed) return <Failed refusal={failed} again={again} />;
  const [all = [], own = []] = value ?? [];
  return (
    <div class="wide">
      <h1>{t('recognition.badges')}</h1>
      {!value && <Loading lines={6} />}
      {own.length > 0 && <Part title={t('recognition.own')} badges={own} />}
      {value && all.length === 0 && <Empty icon="medal" title={t('recognition.no_badges')} />}
      {all.length > 0 && <Part title={t('recognition.all')} badges={all} />}
    </div>
  );
}
const Part = ({ title, badges }: { title: string; badges: readonly Badge[] }) => (
  <section class="part" aria-label={title}>
    <p class="kind">{title}</p>
    <ul class="badges">
      {badges.map((badge) => (
        <li key={badge.id}>
          <BadgeCard badge={badge} />
        </li>
      ))}
    </ul>
  </section>
);
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default BadgesScreen;
