import { useRead, useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import '../content/content.css';
import { spacesToPostIn } from '../spaces/data.ts';
import { PageTree } from './page-tree.tsx';

function PagesScreen() {
  const { value: spaces = [] } = useRead(spacesToPostIn, []);
  useTitle(t('place.pages'));
  return (
    <>
      <h1>{t('place.pages')}</h1>
      <PageTree space_id={null} />
      {spaces.length > 0 && (
        <nav aria-label={t('page.of_spaces')}>
          <h2>{t('page.of_spaces')}</h2>
          <ul class="rows">
            {spaces.map(({ id, name }) => (
              <li key={id}>
                <a class="line" href={`/spaces/${id}/pages`}>
                  <Icon name="layout-grid" />
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default PagesScreen;
