import { useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { pathOf } from '../search/data.ts';
import { iconOf } from '../search/icons.ts';
import { readFeatured } from './data.ts';
import { titleOf } from './titles.ts';

/** What the space wants to be seen first. */
export function FeaturedList({ space_id }: { space_id: number }) {
  const { value: items = [] } = useRead(
    async () => Promise.all((await readFeatured(space_id)).map(async (one) => ({ ...one, title: await titleOf(one) }))),
    [space_id],
  );
  if (items.length === 0) return null;
  return (
    <section class="featured" aria-label={t('space.featured')}>
      <p class="kind">
        <Icon name="star" />
        {t('space.featured')}
      </p>
      <ul class="rows">
        {items.map(({ type, id, permalink, title }) => (
          <li key={`${type}${id}`}>
            <a class="line" href={pathOf(permalink)}>
              <Icon name={iconOf[type]} />
              <bdi>{title ?? t(`search.one_${type}`)}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
