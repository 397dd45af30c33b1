import { day } from '../../kernel/format.ts';
import { Html } from '../../kernel/html.tsx';
import { type Address, Thing } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { Comments } from '../content/comments.tsx';
import '../content/content.css';
import { ReactionsWithNames } from '../content/reactions.tsx';
import { Seen } from '../notifications/seen.tsx';
import { EditLink } from '../writing/edit-link.tsx';
import { type Page, readPage } from './data.ts';
import './pages.css';

const PageScreen = ({ id = '' }: Address) => (
  <Thing<Page> kind="pages" id={Number(id)} read={readPage} title={({ title }) => title}>
    {(page) => (
      <>
        <Seen type="page" id={page.id} />
        <EditLink type="page" id={page.id} href={`/pages/${page.id}/edit`}>
          <a class="button" href={`/pages/new?parent=${page.id}${page.space_id ? `&space=${page.space_id}` : ''}`}>
            <Icon name="plus" />
            {t('page.write_below')}
          </a>
        </EditLink>
        <nav aria-label={t('page.path')}>
          <ol class="breadcrumb">
            <li>
              <a href={page.space_id ? `/spaces/${page.space_id}/pages` : '/pages'}>{t('place.pages')}</a>
            </li>
            {page.path.map((above) => (
              <li key={above.id}>
                <a href={`/pages/${above.id}`}>{above.title}</a>
              </li>
            ))}
          </ol>
        </nav>
        <h1 dir="auto">{page.title}</h1>
        {page.subtitle && (
          <p class="quiet-line" dir="auto">
            {page.subtitle}
          </p>
        )}
        <p class="quiet-line">{t('page.changed', { name: page.creator.name, date: day(page.updated_at) })}</p>
        <Html html={page.html_content} />
        {page.children.length > 0 && (
          <nav aria-label={t('page.below')}>
            <h2>{t('page.below')}</h2>
            <ul class="rows">
              {page.children.map((child) => (
                <li key={child.id}>
                  <a class="line" href={`/pages/${child.id}`}>
                    <Icon name="file-text" />
                    {child.title}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <ReactionsWithNames kind="pages" thing={page} />
        <Comments kind="pages" thing={page} />
      </>
    )}
  </Thing>
);
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default PageScreen;
