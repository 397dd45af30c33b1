import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { Feed } from '../../ui/feed.tsx';
import { say } from '../../ui/toast.tsx';
import type { Mention } from '../mentions/data.ts';
import { MentionField } from '../mentions/field.tsx';
import { Mentioning } from '../mentions/text.tsx';
import { Byline } from './byline.tsx';
import { addComment, type Comment, changeComment, commentsOf, deleteComment, type Kind, nouns } from './data.ts';
import { Reactions } from './reactions.tsx';

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
    <CommentForm {...{ kind, thing }} save={(text, mentions) => addComment(kind, thing, text, mentions)} />
  </section>
);

function OneComment({ kind, thing, comment }: Props & { comment: Comment }) {
  const [isEditing, setEditing] = useState(false);
  const remove = async () => {
    if (!(await confirm(t('content.delete_comment'), t('action.delete')))) return;
    await deleteComment(kind, thing, comment.id).catch(() => say(t('state.failed')));
  };
  const { may_edit, may_delete } = comment.viewer ?? {};
  return (
    <div class="comment" id={`comment-${comment.id}`}>
      <Byline author={comment.user} at={comment.created_at} />
      <div class="actions">
        {may_edit && !isEditing && (
          <IconButton
            icon="pencil"
            label={t('content.edit_one', { name: comment.user.name })}
            onClick={() => setEditing(true)}
          />
        )}
        {may_delete && (
          <IconButton icon="trash-2" label={t('content.delete_one', { name: comment.user.name })} onClick={remove} />
        )}
      </div>
      {isEditing ? (
        <CommentForm
          {...{ kind, thing }}
          written={comment}
          save={(text, mentions) => changeComment(comment.id, text, mentions)}
          done={() => setEditing(false)}
        />
      ) : (
        <p class="text" dir="auto">
          <Mentioning text={comment.text} mentions={comment.mentions} />
        </p>
      )}
      <Reactions kind="comments" thing={comment} />
    </div>
  );
}

interface Form extends Props {
  written?: Pick<Comment, 'text' | 'mentions'>;
  save: (text: string, mentions: readonly Mention[]) => Promise<unknown>;
  /** What is changed can be left as it is. */
  done?: () => void;
}
function CommentForm({ kind, thing, written = { text: '', mentions: [] }, save, done }: Form) {
  const [text, setText] = useState(written.text);
  const [mentions, setMentions] = useState<readonly Mention[]>(written.mentions);
  const form = useRef<HTMLFormElement>(null);
  // Before anything more is typed.
  useLayoutEffect(() => {
    const field = form.current?.querySelector('textarea');
    if (!done || !field) return;
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }, []);
  const { submit, isBusy } = useSubmit(() =>
    save(text, mentions).then(
      () => {
        setText('');
        setMentions([]);
        done?.();
      },
      () => say(t('state.failed')),
    ),
  );
  return (
    <form ref={form} class="new-comment" onSubmit={submit}>
      <MentionField
        label={t('content.new_comment')}
        value={text}
        onWords={setText}
        mentions={mentions}
        onMentions={setMentions}
        place={{ type: nouns[kind], id: thing.id }}
        maxLength={20_000}
      />
      <div class="actions">
        <Button type="submit" look="main" icon={done ? 'check' : 'send'} disabled={isBusy || text.trim() === ''}>
          {done ? t('action.save') : t('content.send')}
        </Button>
        {done && <Button onClick={done}>{t('action.cancel')}</Button>}
      </div>
    </form>
  );
}
