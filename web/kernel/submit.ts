import { useState } from 'preact/hooks';
import { Refusal } from './call.ts';

/** A form that is sent: busy until the server has answered, and what it refused. What was written stays. */
export function useSubmit(send: (form: HTMLFormElement) => Promise<unknown>) {
  const [failed, setFailed] = useState<Refusal>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailed(undefined);
    await send(event.currentTarget as HTMLFormElement).catch((error) => setFailed(Refusal.of(error)));
    setBusy(false);
  };
  return { submit, isBusy, failed };
}
