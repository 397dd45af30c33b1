import { day } from '../../kernel/format.ts';
import { Html } from '../../kernel/html.tsx';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { type Found, pathOf } from './data.ts';
import { iconOf } from './icons.ts';

/** Since when somebody is here says nothing about them. */
const isTimeless = (type: Found['type']) => type === 'user' || type === 'team' || type === 'space';

/** One thing that was found: what it is, its name, and the words around what was asked for. */
export const Result = ({ found: { type, title, snippet, url, creator, created_at } }: { found: Found }) => (
  <article class={`result ${type}`}>
    <Icon name={iconOf[type]} />
    <div>
      <h2>
        <a href={pathOf(url)} dir="auto">
          {title}
        </a>
      </h2>
      <p class="about">
        <span>{t(`search.one_${type}`)}</span>
        {creator && <bdi>{creator.name}</bdi>}
        {!isTimeless(type) && <time dateTime={created_at}>{day(created_at)}</time>}
      </p>
      {snippet && snippet !== title && <Html html={snippet} />}
    </div>
  </article>
);
