// What is in a folder: folders, then documents, newest first.
import { useEffect, useRef, useState } from 'preact/hooks';
import { bytes, day } from '../../kernel/format.ts';
import { row } from '../../kernel/rows.ts';
import { useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Feed } from '../../ui/feed.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/states.tsx';
import '../content/content.css';
import { useRights } from '../writing/rights.ts';
import '../writing/writing.css';
import { type Changed, Changing } from './changing.tsx';
import { type Document, documentsAt, type Folder, foldersAt, type Place, pathTo } from './data.ts';
import './documents.css';
import { again, leave, type Sending, send, sendings } from './uploads.ts';

/** `href`: the address of a folder; null: of the top. */
interface Props extends Place {
  href: (folder_id: number | null) => string;
}
export function FolderView({ space_id, folder_id, href }: Props) {
  const place = { space_id, folder_id };
  const rights = useRights(space_id ? 'space' : 'organisation', space_id ?? undefined);
  const may = rights?.can.includes('write_documents') ?? false;
  const { value: path = [] } = useRead(async () => (folder_id ? pathTo(folder_id) : []), [folder_id]);
  const [changed, setChanged] = useState<Changed>();
  const [isOver, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folders = foldersAt(place);
  useEffect(() => void folders.refresh(), [folders]);
  const shown = (folders.items.value ?? []).flatMap(({ id }) => row<Folder>('folders', id).value ?? []);
  const drop = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      send([...(event.dataTransfer?.files ?? [])], place);
    },
  };
  return (
    <div class={`folder ${isOver ? 'over' : ''}`} {...(may ? drop : {})}>
      {path.length > 0 && (
        <nav aria-label={t('document.path')}>
          <ol class="breadcrumb">
            <li>
              <a href={href(null)}>{t('place.documents')}</a>
            </li>
            {path.map(({ id, name }) => (
              <li key={id}>
                <a href={href(id)} aria-current={id === folder_id ? 'page' : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ol>
        </nav>
      )}
      {may && (
        <div class="ending">
          <Button look="main" icon="upload" onClick={() => files.current?.click()}>
            {t('document.upload')}
          </Button>
          <Button icon="folder-plus" onClick={() => setChanged({ kind: 'new', place })}>
            {t('document.new_folder')}
          </Button>
          <input
            ref={files}
            type="file"
            hidden
            multiple
            aria-label={t('document.upload')}
            onChange={({ currentTarget }) => {
              send([...(currentTarget.files ?? [])], place);
              currentTarget.value = '';
            }}
          />
        </div>
      )}
      <Sendings />
      <ul class="rows">
        {shown.map((folder) => (
          <li key={folder.id} class="entry">
            <a class="line" href={href(folder.id)}>
              <Icon name="folder" />
              <span dir="auto">{folder.name}</span>
            </a>
            {may && (
              <IconButton
                icon="pencil"
                label={t('document.change', { name: folder.name })}
                onClick={() => setChanged({ kind: 'folder', folder })}
              />
            )}
          </li>
        ))}
      </ul>
      {folders.hasMore.value && <Button onClick={folders.more}>{t('action.more')}</Button>}
      <Feed<Document>
        list={documentsAt(place)}
        label={t('place.documents')}
        empty={shown.length === 0 ? <Empty icon="folder" title={t('document.none')} /> : null}
      >
        {(document) => (
          <div class="entry">
            <a class="line" href={`/documents/${document.id}`}>
              <Icon name={iconOf(document)} />
              <span>
                <span dir="auto">{document.label}</span>
                <small>
                  {[document.creator.name, day(document.created_at), bytes(document.document.byte_size)]
                    .filter(Boolean)
                    .join(' · ')}
                </small>
              </span>
            </a>
            {may && (
              <IconButton
                icon="pencil"
                label={t('document.change', { name: document.label })}
                onClick={() => setChanged({ kind: 'document', document })}
              />
            )}
          </div>
        )}
      </Feed>
      {changed && <Changing what={changed} close={() => setChanged(undefined)} />}
    </div>
  );
}

const iconOf = ({ document: { content_type, asset_id } }: Document) => {
  if (asset_id === null) return 'link';
  return content_type?.startsWith('image/') ? 'image' : 'file-text';
};

const Sendings = () => (
  <ul class="rows" aria-label={t('document.sending')}>
    {sendings.value.map((one) => (
      <OneSending key={one} one={one} />
    ))}
  </ul>
);
function OneSending({ one }: { one: Sending }) {
  const { file, part, failed } = one;
  return (
    <li class="entry">
      <span class="line">
        <span dir="auto">{file.name}</span>
        {failed.value ? (
          <span role="alert">{t(failed.value.status === 413 ? 'document.full' : 'document.failed')}</span>
        ) : (
          <progress value={part.value} aria-label={file.name} />
        )}
      </span>
      {failed.value && <Button onClick={() => again(one)}>{t('state.again')}</Button>}
      <IconButton icon="x" label={t('document.stop', { name: file.name })} onClick={() => leave(one)} />
    </li>
  );
}
