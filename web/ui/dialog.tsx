import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../kernel/words.ts';
import { Button } from './button.tsx';
import './dialog.css';

interface Question {
  title: string;
  action: string;
  answer: (yes: boolean) => void;
}
const asked = signal<Question | undefined>(undefined);

/** Asks before something is taken away. Focus stands on the safe answer, and goes back to where it was. */
export const confirm = (title: string, action: string) =>
  new Promise<boolean>((resolve) => {
    asked.value = { title, action, answer: resolve };
  });

export function Confirmation() {
  const dialog = useRef<HTMLDialogElement>(null);
  const question = asked.value;
  useEffect(() => {
    if (question) dialog.current?.showModal();
  }, [question]);
  if (!question) return null;
  const close = (yes: boolean) => {
    dialog.current?.close();
    asked.value = undefined;
    question.answer(yes);
  };
  return (
    <dialog
      class="dialog"
      role="alertdialog"
      ref={dialog}
      aria-labelledby="question"
      onCancel={(event) => {
        event.preventDefault();
        close(false);
      }}
    >
      <h2 id="question">{question.title}</h2>
      <div class="actions">
        <Button autofocus onClick={() => close(false)}>
          {t('action.cancel')}
        </Button>
        <Button look="danger" onClick={() => close(true)}>
          {question.action}
        </Button>
      </div>
    </dialog>
  );
}
