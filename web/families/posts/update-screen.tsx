import { type Address, Thing } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { PostBody } from './card.tsx';
import { readUpdate, type Update } from './data.ts';
import { PostScreen } from './post-screen.tsx';

const UpdateScreen = ({ id = '' }: Address) => (
  <Thing<Update>
    kind="updates"
    id={Number(id)}
    read={readUpdate}
    title={({ creator }) => t('update.title', { name: creator.name })}
  >
    {(post, readAgain) => (
      <PostScreen
        kind="updates"
        post={post}
        readAgain={readAgain}
        title={t('update.title', { name: post.creator.name })}
      >
        <PostBody post={post} />
      </PostScreen>
    )}
  </Thing>
);
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default UpdateScreen;
