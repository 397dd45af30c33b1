import { Html } from '../../kernel/html.tsx';
import { useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import './billboards.css';
import { currentBillboards } from './data.ts';

/** Announcements at the top of the start page. Nothing where there are none, or they cannot be read. */
export function Billboards() {
  const { value: billboards = [] } = useRead(currentBillboards, []);
  if (billboards.length === 0) return null;
  return (
    <section class="billboards" aria-label={t('billboard.all')}>
      {billboards.map(({ id, title, html_content, image_url, link }) => (
        <article key={id} class="billboard">
          {image_url && <img src={image_url} alt="" />}
          <div>
            <h2>
              <bdi>{title}</bdi>
            </h2>
            {html_content && <Html html={html_content} />}
            {link && (
              <a
                class="button plain"
                href={link}
                rel="noopener noreferrer"
                aria-label={`${t('billboard.more')}: ${title}`}
              >
                {t('billboard.more')}
                <Icon name="chevron-right" />
              </a>
            )}
          </div>
        </article>
      ))}
    </section>
  );
}
