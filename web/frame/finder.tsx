// The way to the palette. It is a chunk of its own: it comes when there is time, at the latest when it is wanted.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../kernel/words.ts';
import { Icon } from '../ui/icon.tsx';

type Shown = ComponentType<{ close: () => void }>;
const load = () => import('../families/search/palette.tsx').then(({ Palette }) => Palette);
/** Safari has no requestIdleCallback. */
const whenIdle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1000));
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Keys that are meant for what has the focus. */
const isWriting = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function Finder() {
  const [Palette, setPalette] = useState<Shown>();
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setOpen(true);
    void load().then((loaded) => setPalette(() => loaded));
  };
  useEffect(() => {
    whenIdle(
      () =>
        void load().then(
          (loaded) => setPalette(() => loaded),
          () => {},
        ),
    );
    const pressed = (event: KeyboardEvent) => {
      const isAsked = (event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === 'k';
      const isSlash = event.key === '/' && !event.metaKey && !event.ctrlKey && !event.altKey && !isWriting(event);
      if (!isAsked && !isSlash) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  return (
    <>
      <button type="button" class="finder" aria-haspopup="dialog" onClick={open}>
        <Icon name="search" />
        <span>{t('search.go')}</span>
        <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && Palette && <Palette close={() => setOpen(false)} />}
    </>
  );
}
