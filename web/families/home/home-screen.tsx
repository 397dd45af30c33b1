import { useTitle } from '../../kernel/screen.tsx';
import { may, me } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Feed } from '../../ui/feed.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/states.tsx';
import { Billboards } from '../billboards/billboards.tsx';
import { Composer } from './composer.tsx';
import { type NewsRow, news } from './data.ts';
import { NewsCard, type NewsThing } from './news-card.tsx';

function HomeScreen() {
  useTitle(t('place.home'));
  return (
    <>
      <h1>{t('home.hello', { name: me().display_name ?? me().first_name })}</h1>
      <Billboards />
      {may('updates.*.write') && <Composer />}
      <p class="counts">
        <a href="/saved">
          <Icon name="bookmark" />
          {t('saved.title')}
        </a>
        {may('kudos.*.write') && (
          <a href="/kudos?give">
            <Icon name="award" />
            {t('kudos.choose')}
          </a>
        )}
      </p>
      <Feed<NewsThing> list={news()} label={t('home.news')} empty={<Empty icon="megaphone" title={t('home.empty')} />}>
        {(thing, kind) => <NewsCard kind={kind as NewsRow['kind']} thing={thing} />}
      </Feed>
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default HomeScreen;
