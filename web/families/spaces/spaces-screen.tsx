import { useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Feed } from '../../ui/feed.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/states.tsx';
import '../content/content.css';
import { type Space, spaces } from './data.ts';
import { Visibility } from './visibility.tsx';

function SpacesScreen() {
  useTitle(t('place.spaces'));
  return (
    <>
      <h1>{t('place.spaces')}</h1>
      <p class="counts">
        <a href="/pages">
          <Icon name="book-open" />
          {t('place.pages')}
        </a>
        <a href="/documents">
          <Icon name="folder" />
          {t('place.documents')}
        </a>
      </p>
      <Feed<Space>
        list={spaces()}
        label={t('place.spaces')}
        empty={<Empty icon="layout-grid" title={t('space.none')} />}
      >
        {(space) => <SpaceCard space={space} />}
      </Feed>
    </>
  );
}
function SpaceCard({ space }: { space: Space }) {
  return (
    <div class="card">
      <div class="head">
        <Avatar src={space.avatar_url} />
        <h2>
          <a href={`/spaces/${space.id}`}>{space.name}</a>
        </h2>
      </div>
      {space.description && <p>{space.description}</p>}
      <p class="counts">
        <Visibility space={space} />
        <span>{t('space.members', { n: space.member_count })}</span>
      </p>
    </div>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default SpacesScreen;
