import { signal } from '@preact/signals';
import './toast.css';

const said = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;
const SHOWN_MS = 6000;

/** Says what happened, politely. Never the only way to know or to act. */
export function say(text: string) {
  clearTimeout(timer);
  said.value = text;
  timer = setTimeout(() => {
    said.value = '';
  }, SHOWN_MS);
}
export const Toast = () => (
  <div class="toast" role="status">
    {said.value && <p>{said.value}</p>}
  </div>
);
