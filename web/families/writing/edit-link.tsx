import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { useRights } from './rights.ts';

/** The way to the editor, for those who may change it. */
export function EditLink({ type, id, href }: { type: 'article' | 'page'; id: number; href: string }) {
  const rights = useRights(type, id);
  if (!rights?.can.includes('edit')) return null;
  return (
    <p>
      <a class="button" href={href}>
        <Icon name="pencil" />
        {t('writing.edit')}
      </a>
    </p>
  );
}
