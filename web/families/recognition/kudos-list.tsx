import { t } from '../../kernel/words.ts';
import { Feed } from '../../ui/feed.tsx';
import { Empty } from '../../ui/states.tsx';
import { NewsCard, type NewsThing } from '../home/news-card.tsx';
import { kudosWall, type Wanted } from './data.ts';

export const KudosList = ({ wanted }: { wanted: Wanted }) => (
  <Feed<NewsThing>
    list={kudosWall(wanted)}
    label={t('recognition.wall')}
    empty={<Empty icon="award" title={t('recognition.none')} />}
  >
    {(kudos) => <NewsCard kind="kudos" thing={kudos} />}
  </Feed>
);
