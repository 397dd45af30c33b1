import { useState } from 'preact/hooks';
import { useRead } from '../../kernel/screen.tsx';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceField, errorAt } from '../../ui/field.tsx';
import { say } from '../../ui/toast.tsx';
import { bodyOf, type Mention } from '../mentions/data.ts';
import { MentionField } from '../mentions/field.tsx';
import { postUpdate } from '../posts/data.ts';
import { spacesToPostIn } from '../spaces/data.ts';
import { news } from './data.ts';

/** Says something to everybody, or to a space. */
export function Composer() {
  const [text, setText] = useState('');
  const [mentions, setMentions] = useState<readonly Mention[]>([]);
  const [space, setSpace] = useState('');
  const { value: spaces = [] } = useRead(spacesToPostIn, []);
  const { submit, isBusy, failed } = useSubmit(async () => {
    const { data } = await postUpdate(bodyOf(text, mentions), Number(space) || undefined);
    setText('');
    setMentions([]);
    news().prepend('updates', { ...data, kind: 'updates' } as never);
    say(t('post.posted'));
  });
  return (
    <form class="card composer" onSubmit={submit}>
      <MentionField
        label={t('post.new')}
        error={failed && (errorAt(failed, 'text') ?? t('state.failed'))}
        value={text}
        onWords={setText}
        mentions={mentions}
        onMentions={setMentions}
        place={space ? { space_ids: [Number(space)] } : {}}
        maxLength={100_000}
      />
      <ChoiceField
        label={t('post.for')}
        value={space}
        onChoice={setSpace}
        none={t('audience.everybody')}
        choices={spaces}
      />
      <Button type="submit" look="main" icon="send" disabled={isBusy || text.trim() === ''}>
        {t('post.post')}
      </Button>
    </form>
  );
}
