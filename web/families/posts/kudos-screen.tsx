import { type Address, Thing } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { PostBody } from './card.tsx';
import { type Kudos, readKudos } from './data.ts';
import { PostScreen } from './post-screen.tsx';

const KudosScreen = ({ id = '' }: Address) => (
  <Thing<Kudos>
    kind="kudos"
    id={Number(id)}
    read={readKudos}
    title={({ creator }) => t('kudos.title', { name: creator.name })}
  >
    {(post, readAgain) => (
      <PostScreen kind="kudos" post={post} readAgain={readAgain} title={t('kudos.title', { name: post.creator.name })}>
        <PostBody post={post} />
      </PostScreen>
    )}
  </Thing>
);
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default KudosScreen;
