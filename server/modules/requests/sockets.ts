import type { Endpoint } from '../../kernel/contract/contract.ts';
import { Refusal } from '../../kernel/contract/errors.ts';
import { requestId } from '../../kernel/http/request-id.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { logOf } from './log.ts';

/** An action that an app asks for over a socket is a call, too. What is said there is private: it has no body. */
export async function recorded<T>(
  services: Services,
  actor: Actor,
  { path, scope = null }: Endpoint,
  { action }: { action: string },
  work: () => Promise<T>,
): Promise<T> {
  const log = logOf(services);
  if (!log || actor.kind === 'session') return work();
  const at = services.clock.micros();
  const add = (status: number, code?: string) => {
    const ms = Math.round((services.clock.micros() - at) / 100) / 10;
    const operation = `socket:${action.slice(0, 40)}`;
    const call = { request_id: requestId(at / 1000), at, method: 'SOCKET', path, operation, status, ms, code };
    log.add(actor, { ...call, user_id: actor.user_id }, scope);
  };
  try {
    const result = await work();
    add(200);
    return result;
  } catch (error) {
    const known = error instanceof Refusal;
    add(known ? 400 : 500, known ? error.code : 'internal_error');
    throw error;
  }
}
