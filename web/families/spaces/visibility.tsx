import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import type { Space } from './data.ts';

const icons = { public: 'globe', private: 'lock', hidden: 'eye-off' } as const;

export const Visibility = ({ space: { visibility } }: { space: Space }) => (
  <span class="kind">
    <Icon name={icons[visibility]} />
    {t(`space.${visibility}`)}
  </span>
);
