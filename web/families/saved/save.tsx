import { t } from '../../kernel/words.ts';
import { IconButton } from '../../ui/button.tsx';
import { say } from '../../ui/toast.tsx';
import type { Counted, Kind } from '../content/data.ts';
import { setSaved } from './data.ts';

/** Keeps it for later. */
export function Save({ kind, thing }: { kind: Kind; thing: Counted }) {
  const isSaved = thing.viewer?.saved_by_me;
  if (isSaved === undefined) return null;
  const toggle = () => setSaved(kind, thing, !isSaved).catch(() => say(t('state.failed')));
  return <IconButton icon="bookmark" label={t('saved.save')} aria-pressed={isSaved} onClick={toggle} />;
}
