import type { ComponentChildren } from 'preact';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { useRights } from './rights.ts';
import './writing.css';

/** The way to the editor, for those who may change it. */
interface Props {
  type: 'article' | 'page';
  id: number;
  href: string;
  /** What else they may do. */
  children?: ComponentChildren;
}
export function EditLink({ type, id, href, children }: Props) {
  const rights = useRights(type, id);
  if (!rights?.can.includes('edit')) return null;
  return (
    <p class="ending">
      <a class="button" href={href}>
        <Icon name="pencil" />
        {t('writing.edit')}
      </a>
      {children}
    </p>
  );
}
