// Files of a post: chosen, dropped or pasted, uploaded at once, each with its progress; a picture is shown meanwhile.
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { bytes } from '../../kernel/format.ts';
import { upload } from '../../kernel/upload.ts';
import { t } from '../../kernel/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import './posts.css';

interface Attached {
  readonly file: File;
  /** Of a picture, in this page. */
  readonly preview: string | undefined;
  readonly part: Signal<number>;
  /** It is there. Null: it could not be sent. */
  readonly id: Signal<number | null | undefined>;
  readonly stop: AbortController;
}
const FILES_MAX = 20;
const isPicture = ({ type }: File) => /^image\/(png|jpeg|gif|webp|avif)$/.test(type);

export class Files {
  readonly all = signal<readonly Attached[]>([]);
  add(files: readonly File[]) {
    const made = files.slice(0, FILES_MAX - this.all.value.length).map((file) => ({
      ...{ file, preview: isPicture(file) ? URL.createObjectURL(file) : undefined, stop: new AbortController() },
      ...{ part: signal(0), id: signal<number | null | undefined>(undefined) },
    }));
    this.all.value = [...this.all.value, ...made];
    for (const one of made) void this.#send(one);
  }
  async #send({ file, part, id, stop }: Attached) {
    const onProgress = (now: number) => {
      part.value = now;
    };
    id.value = await upload(file, { onProgress, signal: stop.signal }).then(
      (asset) => asset.id,
      () => null,
    );
  }
  again(one: Attached) {
    this.remove(one);
    this.add([one.file]);
  }
  remove(one: Attached) {
    one.stop.abort();
    if (one.preview) URL.revokeObjectURL(one.preview);
    this.all.value = this.all.value.filter((other) => other !== one);
  }
  clear() {
    for (const one of this.all.value) this.remove(one);
  }
  get areThere() {
    return this.all.value.every(({ id }) => typeof id.value === 'number');
  }
  /** As the body of a post names them. */
  get ids() {
    const of = (pictures: boolean) =>
      this.all.value.flatMap(({ file, id }) => (isPicture(file) === pictures && id.value ? [id.value] : []));
    const [gallery_ids, attachment_ids] = [of(true), of(false)];
    return {
      ...(gallery_ids.length > 0 ? { gallery_ids } : {}),
      ...(attachment_ids.length > 0 ? { attachment_ids } : {}),
    };
  }
}
export function useFiles() {
  const files = useMemo(() => new Files(), []);
  useEffect(() => () => files.clear(), [files]);
  return files;
}

export function FilesField({ files }: { files: Files }) {
  const chosen = useRef<HTMLInputElement>(null);
  return (
    <div class="post-files">
      {files.all.value.length > 0 && (
        <ul class="rows" aria-label={t('post.files')}>
          {files.all.value.map((one) => (
            <OneFile key={one} one={one} files={files} />
          ))}
        </ul>
      )}
      <Button icon="paperclip" onClick={() => chosen.current?.click()}>
        {t('post.add_files')}
      </Button>
      <input
        ref={chosen}
        type="file"
        hidden
        multiple
        aria-label={t('post.add_files')}
        onChange={({ currentTarget }) => {
          files.add([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </div>
  );
}

function OneFile({ one, files }: { one: Attached; files: Files }) {
  const { file, preview, part, id } = one;
  return (
    <li>
      {preview && <img src={preview} alt="" />}
      <span dir="auto">
        {file.name} <small>{bytes(file.size)}</small>
      </span>
      {id.value === undefined && <progress value={part.value} aria-label={file.name} />}
      {id.value === null && (
        <>
          <span role="alert">{t('document.failed')}</span>
          <Button onClick={() => files.again(one)}>{t('state.again')}</Button>
        </>
      )}
      <IconButton icon="x" label={t('chat.without', { name: file.name })} onClick={() => files.remove(one)} />
    </li>
  );
}

/** Files that are dropped on a form, or pasted into it, are its files. */
export const takes = (files: Files) => ({
  onDragOver: (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  },
  onDrop: (event: DragEvent) => {
    const dropped = [...(event.dataTransfer?.files ?? [])];
    if (dropped.length === 0) return;
    event.preventDefault();
    files.add(dropped);
  },
  onPaste: (event: ClipboardEvent) => {
    const pasted = [...(event.clipboardData?.files ?? [])];
    if (pasted.length === 0) return;
    event.preventDefault();
    files.add(pasted);
  },
});
