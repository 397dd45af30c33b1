import { useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import '../content/content.css';
import { PageList } from './page-list.tsx';

function PagesScreen() {
  useTitle(t('place.pages'));
  return (
    <>
      <h1>{t('place.pages')}</h1>
      <PageList />
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default PagesScreen;
