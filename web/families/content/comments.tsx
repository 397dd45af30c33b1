import { useState } from 'preact/hooks';
import { me } from '../../kernel/session.ts';
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
import { addComment, type Comment, commentsOf, deleteComment, type Kind, nouns } from './data.ts';

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
        <Mentioning text={comment.text} mentions={comment.mentions} />
      </p>
      {comment.user_id === me().id && <IconButton icon="trash-2" label={t('action.delete')} onClick={remove} />}
    </div>
  );
}

function NewComment({ kind, thing }: Props) {
  const [text, setText] = useState('');
  const [mentions, setMentions] = useState<readonly Mention[]>([]);
  const { submit, isBusy } = useSubmit(() =>
    addComment(kind, thing, text, mentions).then(
      () => {
        setText('');
        setMentions([]);
      },
      () => say(t('state.failed')),
    ),
  );
  return (
    <form class="new-comment" onSubmit={submit}>
      <MentionField
        label={t('content.new_comment')}
        value={text}
        onWords={setText}
        mentions={mentions}
        onMentions={setMentions}
        place={{ type: nouns[kind], id: thing.id }}
        maxLength={20_000}
      />
      <Button type="submit" look="main" icon="send" disabled={isBusy || text.trim() === ''}>
        {t('content.send')}
      </Button>
    </form>
  );
}
