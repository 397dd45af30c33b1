import { useRead } from '../../kernel/screen.tsx';
import { me } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/toast.tsx';
import { type Counted, type Kind, readLikes, setLike } from './data.ts';

interface Props {
  kind: Kind;
  thing: Counted;
}
/** The like of the person who looks, and who else liked it. */
export function Likes({ kind, thing }: Props) {
  const { value: likes } = useRead(() => readLikes(kind, thing.id), [kind, thing.id]);
  const isLiked = thing.viewer?.liked_by_me ?? false;
  const others = (likes ?? []).filter(({ user_id }) => user_id !== me().id).map(({ user }) => user.name);
  const toggle = () => setLike(kind, thing, !isLiked).catch(() => say(t('state.failed')));
  return (
    <div class="likes">
      <Button look="quiet" icon="heart" aria-pressed={isLiked} onClick={toggle}>
        {t('content.like')}
      </Button>
      <span>{t('content.likes', { n: thing.likes_count ?? 0 })}</span>
      {others.length > 0 && <span class="names">{others.slice(0, 3).join(', ')}</span>}
    </div>
  );
}
