import { useEffect, useState } from 'preact/hooks';
import { type Address, Thing } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/states.tsx';
import '../content/content.css';
import { type Livestream, readLivestream, stateOf } from './data.ts';
import './livestreams.css';
import { State } from './state.tsx';

const LOOK_AGAIN_MS = 30_000;

const LivestreamScreen = ({ id = '' }: Address) => (
  <Thing<Livestream> kind="livestreams" id={Number(id)} read={readLivestream} title={({ title }) => title}>
    {(stream, readAgain) => (
      <>
        <Player key={stream.video?.url} stream={stream} readAgain={readAgain} />
        <h1>
          <bdi>{stream.title}</bdi>
        </h1>
        <State stream={stream} />
        {stream.description && (
          <p class="text" dir="auto">
            {stream.description}
          </p>
        )}
      </>
    )}
  </Thing>
);

/** Plays what the browser can play here; what lies elsewhere and is no film is opened there. */
function Player({ stream, readAgain }: { stream: Livestream; readAgain: () => void }) {
  const [isElsewhere, setElsewhere] = useState(false);
  const state = stateOf(stream);
  const isWaiting = state === 'planned' || (state === 'live' && !stream.video);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(readAgain, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isWaiting]);
  if (!stream.video || state === 'planned')
    return <Empty icon="radio" title={t(state === 'ended' ? 'livestream.no_video' : 'livestream.wait')} />;
  const { url } = stream.video;
  const link = (
    <a class="button main" href={url} rel="noopener noreferrer">
      <Icon name="external-link" />
      {t('livestream.watch')}
    </a>
  );
  if (isElsewhere || !/\.(?:m3u8|mp4|webm|ogv|mov)(?:\?|$)/i.test(url))
    return (
      <Empty icon="radio" title={t('livestream.elsewhere')}>
        {link}
      </Empty>
    );
  return (
    // biome-ignore lint/a11y/useMediaCaption: captions are in the stream, where there are any.
    <video class="player" src={url} controls playsinline preload="metadata" onError={() => setElsewhere(true)} />
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default LivestreamScreen;
