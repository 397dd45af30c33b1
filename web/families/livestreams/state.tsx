import { day } from '../../kernel/format.ts';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { type Livestream, stateOf } from './data.ts';

export const State = ({ stream }: { stream: Livestream }) => (
  <p class="counts">
    <span class={`kind ${stateOf(stream)}`}>
      <Icon name="radio" />
      {t(`livestream.${stateOf(stream)}`)}
    </span>
    <bdi>{stream.host.name}</bdi>
    {stream.started_at && <time dateTime={stream.started_at}>{day(stream.started_at)}</time>}
    <span>{t('livestream.viewers', { n: stream.viewers_count })}</span>
  </p>
);
