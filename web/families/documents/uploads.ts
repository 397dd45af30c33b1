// Files on their way into a folder: two at a time, each with its progress; what failed can be sent again.
import { type Signal, signal } from '@preact/signals';
import { Refusal } from '../../kernel/call.ts';
import { upload } from '../../kernel/upload.ts';
import { addDocument, type Place } from './data.ts';

export interface Sending {
  readonly file: File;
  readonly place: Place;
  readonly part: Signal<number>;
  readonly failed: Signal<Refusal | undefined>;
  readonly stop: AbortController;
}
const AT_ONCE = 2;
export const sendings = signal<readonly Sending[]>([]);
let running = 0;

export function send(files: readonly File[], place: Place) {
  const made = files.map((file) => ({
    ...{ file, place, part: signal(0), stop: new AbortController() },
    failed: signal<Refusal | undefined>(undefined),
  }));
  sendings.value = [...sendings.value, ...made];
  goOn();
}
const begun = new WeakSet<Sending>();
function goOn() {
  while (running < AT_ONCE) {
    const next = sendings.value.find((one) => !begun.has(one));
    if (!next) return;
    begun.add(next);
    running++;
    void finish(next).finally(() => {
      running--;
      goOn();
    });
  }
}
async function finish(one: Sending) {
  const { file, place, part, failed, stop } = one;
  try {
    const onProgress = (now: number) => {
      part.value = now;
    };
    const { id } = await upload(file, { onProgress, signal: stop.signal });
    await addDocument(place, file.name, id);
    leave(one);
  } catch (error) {
    if (stop.signal.aborted) leave(one);
    else failed.value = Refusal.of(error);
  }
}
export function again(one: Sending) {
  leave(one);
  send([one.file], one.place);
}
export function leave(one: Sending) {
  one.stop.abort();
  sendings.value = sendings.value.filter((other) => other !== one);
}
