import { useState } from 'preact/hooks';
import { row } from '../../kernel/rows.ts';
import { me } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { Feed } from '../../ui/feed.tsx';
import { Field } from '../../ui/field.tsx';
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
    <Feed list={commentsOf(kind, thing.id)} label={t('content.comments_label')} empty={null}>
      {({ id }) => <OneComment {...{ kind, thing, id }} />}
    </Feed>
    <NewComment {...{ kind, thing }} />
  </section>
);

function OneComment({ kind, thing, id }: Props & { id: number }) {
  const comment = row<Comment>('comments', id).value;
  if (!comment) return null;
  const remove = async () => {
    if (!(await confirm(t('content.delete_comment'), t('action.delete')))) return;
    await deleteComment(kind, thing, id).catch(() => say(t('state.failed')));
  };
  return (
    <div class="comment" id={`comment-${id}`}>
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
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    // What was written stays until the server has it.
    await addComment(kind, thing, text).then(
      () => setText(''),
      () => say(t('state.failed')),
    );
    setBusy(false);
  };
  return (
    <form class="new-comment" onSubmit={submit}>
      <Field label={t('content.new_comment')}>
        {(own) => (
          <textarea
            class="input"
            rows={2}
            maxLength={20_000}
            required
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            {...own}
          />
        )}
      </Field>
      <Button type="submit" look="main" icon="send" disabled={isBusy || text.trim() === ''}>
        {t('content.send')}
      </Button>
    </form>
  );
}
