import { useRef, useState } from 'preact/hooks';
import { t } from '../../kernel/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import type { Mention } from '../mentions/data.ts';
import { MentionArea } from '../mentions/field.tsx';
import { send } from './outbox.ts';

const FILES_MAX = 10;
/** Enter sends, Shift and Enter begins a new line. */
export function Writer({ channel_url }: { channel_url: string }) {
  const [text, setText] = useState('');
  const [mentions, setMentions] = useState<readonly Mention[]>([]);
  const [files, setFiles] = useState<readonly File[]>([]);
  const picker = useRef<HTMLInputElement>(null);
  const isEmpty = text.trim() === '' && files.length === 0;
  const submit = (event: Event) => {
    event.preventDefault();
    if (isEmpty) return;
    send(channel_url, text.trim(), files, { mentions });
    setText('');
    setMentions([]);
    setFiles([]);
  };
  const add = (chosen: FileList | null | undefined) => setFiles([...files, ...(chosen ?? [])].slice(0, FILES_MAX));
  return (
    <form class="writer" onSubmit={submit}>
      {files.length > 0 && (
        <ul class="chosen">
          {files.map((file) => (
            <li key={`${file.name} ${file.size}`}>
              <bdi>{file.name}</bdi>
              <IconButton
                icon="x"
                label={t('chat.without', { name: file.name })}
                onClick={() => setFiles(files.filter((one) => one !== file))}
              />
            </li>
          ))}
        </ul>
      )}
      <IconButton icon="paperclip" label={t('chat.files')} onClick={() => picker.current?.click()} />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          add(currentTarget.files);
          currentTarget.value = '';
        }}
      />
      <MentionArea
        rows={1}
        maxLength={10_000}
        aria-label={t('chat.write')}
        placeholder={t('chat.write')}
        value={text}
        onWords={setText}
        mentions={mentions}
        onMentions={setMentions}
        place={{ channel_url }}
        isAbove
        onPaste={({ clipboardData }) => add(clipboardData?.files)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
        }}
      />
      <Button type="submit" look="main" icon="send" disabled={isEmpty} aria-label={t('content.send')} />
    </form>
  );
}
