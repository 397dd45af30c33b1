import { useRef, useState } from 'preact/hooks';
import { upload } from '../../kernel/upload.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/toast.tsx';

interface Props {
  id: number | null;
  addresses: Map<string, string>;
  onCover: (id: number | null) => void;
}
/** The picture at the top, which decorates. */
export function CoverField({ id, addresses, onCover }: Props) {
  const files = useRef<HTMLInputElement>(null);
  const [isSending, setSending] = useState(false);
  const send = async (file: File) => {
    setSending(true);
    try {
      const asset = await upload(file);
      addresses.set(asset.reference, URL.createObjectURL(file));
      onCover(asset.id);
    } catch {
      say(t('editor.refused', { name: file.name }));
    }
    setSending(false);
  };
  return (
    <fieldset class="answers cover">
      <legend>{t('writing.cover')}</legend>
      {id && <img src={addresses.get(`asset://${id}`)} alt="" />}
      <Button icon="image" disabled={isSending} onClick={() => files.current?.click()}>
        {isSending ? t('state.loading') : t('writing.choose_cover')}
      </Button>
      {id && <Button onClick={() => onCover(null)}>{t('writing.no_cover')}</Button>}
      <input
        ref={files}
        type="file"
        hidden
        accept="image/*"
        aria-label={t('writing.cover')}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) void send(file);
        }}
      />
    </fieldset>
  );
}
