// A signed address is good for whoever has it. One that is shown to a person gets a second signature, made with the
// first as its key, which says for whom it is: it ends when that person may read the file no longer.
import { createHmac } from 'node:crypto';

export const signatureFor = (user_id: number, signature: string): string =>
  createHmac('sha256', signature).update(`reader ${user_id}`).digest('hex');

const ADDRESS = /(\/files\/\d+\/\d+\/[a-z]+\/[\w.-]+\?expires=\d+)(&(?:amp;)?)signature=([0-9a-f]{64})/g;

/** The addresses of files in an answer, as they are for this person. */
export function addressedTo(user_id: number, text: string): string {
  if (!text.includes('?expires=')) return text;
  return text.replace(
    ADDRESS,
    (_, address: string, and: string, signature: string) =>
      `${address}${and}reader=${user_id}${and}signature=${signatureFor(user_id, signature)}`,
  );
}
