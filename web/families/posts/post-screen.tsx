import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { Refusal } from '../../kernel/call.ts';
import { forget } from '../../kernel/rows.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { AcknowledgementBar } from '../content/acknowledgement.tsx';
import { Comments } from '../content/comments.tsx';
import '../content/content.css';
import { ReactionsWithNames } from '../content/reactions.tsx';
import { Seen } from '../notifications/seen.tsx';
import { deletePost, type Kudos, type Update } from './data.ts';

interface Props {
  kind: 'updates' | 'kudos';
  post: Update | Kudos;
  title: string;
  readAgain: () => void;
  children: ComponentChildren;
}
export function PostScreen({ kind, post, title, readAgain, children }: Props) {
  const { route } = useLocation();
  const remove = async () => {
    if (!(await confirm(t('post.delete'), t('action.delete')))) return;
    try {
      await deletePost(kind, post.id);
    } catch (error) {
      // Somebody else deleted it at the same moment, or before: it is gone either way.
      const isGone = error instanceof Refusal && (error.status === 404 || error.code === 'concurrent_delete');
      if (!isGone) return say(t('state.failed'));
    }
    route('/');
    forget(kind, post.id);
    say(t('post.deleted'));
  };
  return (
    <>
      <h1>{title}</h1>
      <Seen type={kind === 'updates' ? 'update' : 'kudos'} id={post.id} />
      <div class="card">
        {children}
        <AcknowledgementBar kind={kind} thing={post} readAgain={readAgain} />
        <ReactionsWithNames kind={kind} thing={post} />
        {post.viewer?.may_delete && (
          <div>
            <Button look="danger" icon="trash-2" onClick={remove}>
              {t('action.delete')}
            </Button>
          </div>
        )}
      </div>
      <Comments kind={kind} thing={post} />
    </>
  );
}
