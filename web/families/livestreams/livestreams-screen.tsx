import { useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Feed } from '../../ui/feed.tsx';
import { Empty } from '../../ui/states.tsx';
import '../content/content.css';
import { type Livestream, livestreams } from './data.ts';
import { State } from './state.tsx';

function LivestreamsScreen() {
  useTitle(t('livestream.all'));
  return (
    <>
      <h1>{t('livestream.all')}</h1>
      <Feed<Livestream>
        list={livestreams()}
        label={t('livestream.all')}
        empty={<Empty icon="radio" title={t('livestream.none')} />}
      >
        {(stream) => (
          <div class="card">
            <h2>
              <a href={`/livestreams/${stream.id}`}>
                <bdi>{stream.title}</bdi>
              </a>
            </h2>
            <State stream={stream} />
          </div>
        )}
      </Feed>
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default LivestreamsScreen;
