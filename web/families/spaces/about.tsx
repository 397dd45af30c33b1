import { day } from '../../kernel/format.ts';
import { t } from '../../kernel/words.ts';
import type { Space } from './data.ts';

export const About = ({ space }: { space: Space }) => (
  <div class="card">
    {space.description && (
      <p class="text" dir="auto">
        {space.description}
      </p>
    )}
    <dl class="facts">
      <dt>{t('space.who_sees')}</dt>
      <dd>{t(`space.${space.visibility}_means`)}</dd>
      {space.is_read_only && (
        <>
          <dt>{t('space.who_posts')}</dt>
          <dd>{t('space.read_only')}</dd>
        </>
      )}
      {space.categories.length > 0 && (
        <>
          <dt>{t('space.categories')}</dt>
          <dd>{space.categories.map(({ name }) => name).join(', ')}</dd>
        </>
      )}
      <dt>{t('space.since')}</dt>
      <dd>{day(space.created_at)}</dd>
    </dl>
  </div>
);
