import { useLocation } from 'preact-iso';
import { useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { FolderView } from './folder-view.tsx';

function DocumentsScreen() {
  const { query } = useLocation();
  useTitle(t('place.documents'));
  return (
    <>
      <h1>{t('place.documents')}</h1>
      <FolderView
        space_id={null}
        folder_id={Number(query.folder) || null}
        href={(id) => (id ? `/documents?folder=${id}` : '/documents')}
      />
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default DocumentsScreen;
