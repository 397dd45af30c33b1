// The start: who is it, in which language, then the screen of the address.
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import './style/layers.css';
import './style/tokens.css';
import './style/reset.css';
import './style/prose.css';
import { SignInScreen } from './families/sessions/sign-in-screen.tsx';
import { Frame } from './frame/frame.tsx';
import { me, session, start } from './kernel/session.ts';
import './kernel/theme.ts';
import { speak } from './kernel/words.ts';
import { screens } from './screens.ts';
import { Confirmation } from './ui/dialog.tsx';
import { Failed, Gone } from './ui/states.tsx';
import { Toast } from './ui/toast.tsx';

/** Whoever comes to another address hears its heading first. */
function arrived() {
  document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
}

function App() {
  const { url } = useLocation();
  useEffect(() => {
    if (!location.hash) scrollTo(0, 0);
  }, [url]);
  if (session.value === null) return <SignInScreen />;
  return (
    <Frame>
      <Router onRouteChange={arrived}>
        {screens.map(({ path, component }) => (
          <Route key={path} path={path} component={component} />
        ))}
        <Route default component={Gone} />
      </Router>
    </Frame>
  );
}

async function begin() {
  const place = document.querySelector('#app') as HTMLElement;
  const spoken = speak(navigator.languages);
  try {
    await start();
  } catch (error) {
    await spoken;
    return render(<Failed refusal={error as never} again={begin} />, place);
  }
  await spoken;
  if (session.value) await speak([me().locale ?? '', ...navigator.languages, session.value.organisation.locale]);
  render(
    <LocationProvider>
      <App />
      <Confirmation />
      <Toast />
    </LocationProvider>,
    place,
  );
}

await begin();
