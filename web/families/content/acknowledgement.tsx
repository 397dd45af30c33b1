import { useState } from 'preact/hooks';
import { Refusal } from '../../kernel/call.ts';
import { day } from '../../kernel/format.ts';
import { useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failed } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { type AcknowledgedKind, type Acknowledgement, acknowledge, readAcknowledgement } from './acknowledgements.ts';

interface Props {
  kind: AcknowledgedKind;
  thing: { id: number; requires_acknowledgement: boolean; content_version: number };
  /** Shows the text as it is now. */
  readAgain: () => void;
}
/** Where it is asked for: to confirm that this version was read, and that it was. */
export const AcknowledgementBar = ({ kind, thing, readAgain }: Props) =>
  thing.requires_acknowledgement ? <Asked {...{ kind, thing, readAgain }} /> : null;

function Asked({ kind, thing: { id, content_version }, readAgain }: Props) {
  const { value, failed, again } = useRead(() => readAcknowledgement(kind, id), [kind, id, content_version]);
  const [confirmed, setConfirmed] = useState<Acknowledgement>();
  const [isBusy, setBusy] = useState(false);
  const state = confirmed?.content_version === content_version ? confirmed : value;
  const [isChanged, setChanged] = useState(false);
  if (!state) return failed ? <Failed refusal={failed} again={again} /> : null;
  const confirm = async () => {
    setBusy(true);
    try {
      setConfirmed(await acknowledge(kind, id, content_version));
      setChanged(false);
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'content_changed')) say(t('state.failed'));
      else {
        setChanged(true);
        readAgain();
      }
    }
    setBusy(false);
  };
  const { acknowledged_at, due_at } = state;
  return (
    <section class="acknowledgement" aria-label={t('acknowledgement.label')}>
      <p role="status">
        <Icon name={acknowledged_at ? 'check' : 'circle-alert'} />
        {acknowledged_at
          ? t('acknowledgement.done', { date: day(acknowledged_at) })
          : isChanged
            ? t('acknowledgement.changed')
            : due_at
              ? t('acknowledgement.due', { date: day(due_at) })
              : t('acknowledgement.asked')}
      </p>
      {!acknowledged_at && (
        <Button look="main" icon="check" disabled={isBusy} onClick={confirm}>
          {t('acknowledgement.confirm')}
        </Button>
      )}
    </section>
  );
}
