import { t } from '../kernel/words.ts';
import './pages.css';

interface Props {
  page: number;
  size: number;
  total: number;
  hrefOf: (page: number) => string;
}
/** From one part of a list to the next, by addresses. */
export function Pages({ page, size, total, hrefOf }: Props) {
  const last = Math.ceil(total / size);
  if (last <= 1) return null;
  return (
    <nav class="pages" aria-label={t('pages.label')}>
      {page > 1 ? <a href={hrefOf(page - 1)}>{t('pages.before')}</a> : <span />}
      <span>{t('pages.here', { page, last })}</span>
      {page < last ? <a href={hrefOf(page + 1)}>{t('pages.next')}</a> : <span />}
    </nav>
  );
}
