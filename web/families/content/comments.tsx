import { useState } from 'preact/hooks';
import { me } from '../../kernel/session.ts';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { Feed } from '../../ui/feed.tsx';
import { WordsField } from '../../ui/field.tsx';
import { say } from '../../ui/toast.tsx';
import { Byline } from './byline.tsx';
import { addComment, type Comment, commentsOf, deleteComment, type Kind } from './data.ts';

interface Props {
  kind: Kind;
  thing: { id: number; comments_count?: number };
}
export const Comments = ({ kind, thing }: Props) => (
  <section class="comments" id="comments" aria-labelledby="comments-title">
    <h2 id="comments-title">{t('content.comments', { n: thing.comments_count ?? 0 })}</h2>
    <Feed<Comment> list={commentsOf(kind, thing.id)} label={t('content.comments_label')} empty={null}>
      {(comment) => <OneComment {...{ kind, thing, comment }} />}
    </Feed>
    <NewComment {...{ kind, thing }} />
  </section>
);

function OneComment({ kind, thing, comment }: Props & { comment: Comment }) {
  const remove = async () => {
    if (!(await confirm(t('content.delete_comment'), t('action.delete')))) return;
    await deleteComment(kind, thing, comment.id).catch(() => say(t('state.failed')));
  };
  return (
    <div class="comment" id={`comment-${comment.id}`}>
      <Byline author={comment.user} at={comment.created_at} />
      <p class="text" dir="auto">
        {comment.text}
      </p>
      {comment.user_id === me().id && <IconButton icon="trash-2" label={t('action.delete')} onClick={remove} />}
    </div>
  );
}

function NewComment({ kind, thing }: Props) {
  const [text, setText] = useState('');
  const { submit, isBusy } = useSubmit(() =>
    addComment(kind, thing, text).then(
      () => setText(''),
      () => say(t('state.failed')),
    ),
  );
  return (
    <form class="new-comment" onSubmit={submit}>
      <WordsField label={t('content.new_comment')} value={text} onWords={setText} maxLength={20_000} />
      <Button type="submit" look="main" icon="send" disabled={isBusy || text.trim() === ''}>
        {t('content.send')}
      </Button>
    </form>
  );
}
