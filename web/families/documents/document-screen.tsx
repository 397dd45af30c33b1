import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { bytes, day } from '../../kernel/format.ts';
import { type Address, Thing, useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import '../content/content.css';
import { useRights } from '../writing/rights.ts';
import '../writing/writing.css';
import { Changing } from './changing.tsx';
import { type Document, readDocument } from './data.ts';
import './documents.css';

const DocumentScreen = ({ id = '' }: Address) => (
  <Thing<Document> kind="documents" id={Number(id)} read={readDocument} title={({ label }) => label}>
    {(document) => <Details document={document} />}
  </Thing>
);

/** Of the folder that it lies in. */
const placeOf = ({ space_id, location_id }: Document) =>
  (space_id ? `/spaces/${space_id}/documents` : '/documents') + (location_id ? `?folder=${location_id}` : '');

function Details({ document }: { document: Document }) {
  const { route } = useLocation();
  const { label, description, space_id, creator, created_at, updated_at, document: file } = document;
  const rights = useRights(space_id ? 'space' : 'organisation', space_id ?? undefined);
  const [isChanging, setChanging] = useState(false);
  return (
    <>
      <p>
        <a href={placeOf(document)}>{t('document.folder')}</a>
      </p>
      <h1 dir="auto">{label}</h1>
      {description && <p dir="auto">{description}</p>}
      <Preview file={file} label={label} />
      <p class="ending">
        <a class="button main" href={file.url} target="_blank" rel="noopener noreferrer">
          {t('document.open')}
        </a>
        {file.asset_id && (
          <a class="button" href={file.url} download={file.file_name ?? label}>
            <Icon name="download" />
            {t('document.download')}
          </a>
        )}
        {rights?.can.includes('write_documents') && (
          <Button icon="pencil" onClick={() => setChanging(true)}>
            {t('writing.edit')}
          </Button>
        )}
      </p>
      <dl class="facts">
        <dt>{t('document.by')}</dt>
        <dd>
          <a href={`/directory/people/${creator.id}`}>{creator.name}</a>
        </dd>
        <dt>{t('document.added')}</dt>
        <dd>{day(created_at)}</dd>
        <dt>{t('document.changed')}</dt>
        <dd>{day(updated_at)}</dd>
        {file.file_name && (
          <>
            <dt>{t('document.file')}</dt>
            <dd>
              <bdi>{file.file_name}</bdi> {bytes(file.byte_size)}
            </dd>
          </>
        )}
      </dl>
      {isChanging && (
        <Changing
          what={{ kind: 'document', document }}
          close={() => setChanging(false)}
          gone={() => route(placeOf(document))}
        />
      )}
    </>
  );
}

/** What the browser shows by itself. Its viewer of PDF files opens in a tab: no page may frame what people uploaded. */
function Preview({
  file: { url, content_type, asset_id, byte_size },
  label,
}: {
  file: Document['document'];
  label: string;
}) {
  if (asset_id === null || !content_type) return null;
  if (/^image\/(png|jpeg|gif|webp|avif)$/.test(content_type)) return <img class="preview" src={url} alt={label} />;
  // biome-ignore lint/a11y/useMediaCaption: the file that was uploaded has none.
  if (content_type.startsWith('video/')) return <video class="preview" src={url} controls />;
  // biome-ignore lint/a11y/useMediaCaption: the file that was uploaded has none.
  if (content_type.startsWith('audio/')) return <audio src={url} controls />;
  if (/^text\/(plain|csv|markdown)$/.test(content_type)) return <Text url={url} byte_size={byte_size ?? 0} />;
  return null;
}

const SHOWN_BYTES = 200_000;
function Text({ url, byte_size }: { url: string; byte_size: number }) {
  const { value } = useRead(
    async () => (await fetch(url, { headers: { range: `bytes=0-${SHOWN_BYTES - 1}` } })).text(),
    [url],
  );
  if (value === undefined) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys.
    <pre class="preview text" tabIndex={0} dir="auto">
      {value}
      {byte_size > SHOWN_BYTES && '…'}
    </pre>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default DocumentScreen;
