import { t } from '../../kernel/words.ts';

interface Named {
  id: number;
  name: string;
}
interface Audience {
  type: string;
  spaces: readonly Named[];
  teams: readonly Named[];
}
/** Whom it is for, in words. */
export const audienceWords = ({ type, spaces, teams }: Audience) =>
  type === 'Global' ? t('audience.everybody') : [...spaces, ...teams].map(({ name }) => name).join(', ');
