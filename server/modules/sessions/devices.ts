// A device that somebody has signed in with before proves it by a cookie, which only says whose tries are counted
// (attempts.ts): it lets nobody in. It is sealed, so nobody makes one.
import type { Tx } from '../../kernel/data/db.ts';
import type { Client, Services } from '../../kernel/http/routes.ts';
import { randomSecret } from '../../kernel/people/secrets.ts';

interface Device {
  readonly id: string;
  /** Who has signed in here, the latest first: `accountOf` of their addresses. */
  readonly accounts: readonly string[];
}
export const DEVICE_COOKIE = 'atrium_device';
/** People who share a device at the counter. */
const ACCOUNTS_MAX = 20;
/** The longest that browsers keep a cookie. */
const KEPT_SECONDS = 400 * 86_400;

const purposeOf = ({ organisation_id }: Tx) => `device of organisation ${organisation_id}`;

export function readDevice(tx: Tx, { cookies }: Client, { sealing }: Services): Device {
  const sealed = cookies[DEVICE_COOKIE];
  const unknown = { id: randomSecret(), accounts: [] };
  if (sealed === undefined) return unknown;
  try {
    return JSON.parse(sealing.open(purposeOf(tx), sealed)) as Device;
  } catch {
    // Made up, or of another organisation on this host.
    return unknown;
  }
}

export function rememberAccount(
  tx: Tx,
  client: Client,
  { sealing, config }: Services,
  device: Device,
  account: string,
) {
  const accounts = [account, ...device.accounts.filter((known) => known !== account)].slice(0, ACCOUNTS_MAX);
  const sealed = sealing.seal(purposeOf(tx), JSON.stringify({ id: device.id, accounts } satisfies Device));
  const secure = config.env === 'production';
  const options = { path: '/v1/sessions', httpOnly: true, secure, sameSite: 'lax', maxAge: KEPT_SECONDS } as const;
  client.setCookie(DEVICE_COOKIE, sealed, options);
}
