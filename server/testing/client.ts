// A client that knows only the interface, for an organisation that is carried over into another.
export interface Account {
  url: string;
  organisation_id: number;
  api_key: string;
}
// biome-ignore lint/suspicious/noExplicitAny: replies of every shape.
export type Any = any;

export class Client {
  readonly account: Account;
  constructor(account: Account) {
    this.account = account;
  }

  async call(method: string, path: string, body?: object): Promise<Any> {
    const isForm = body instanceof FormData;
    const response = await fetch(this.account.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.account.api_key}`,
        'service-id': String(this.account.organisation_id),
        accept: 'application/json',
        ...(body && !isForm ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as Any;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }
  get = async (path: string) => (await this.call('GET', path)).data;

  /** Every row of a list, in its order. */
  async all(path: string): Promise<Any[]> {
    const rows: Any[] = [];
    for (let skip = 0; ; skip += 100) {
      const { data, meta } = await this.call('GET', `${path}${path.includes('?') ? '&' : '?'}skip=${skip}&take=100`);
      rows.push(...data);
      if (meta.pagination.next_page === null) return rows;
    }
  }

  /** Bytes behind a signed address, which carries the organisation's own host. */
  async bytes(url: string): Promise<Buffer> {
    const { pathname, search } = new URL(url);
    const response = await fetch(this.account.url + pathname + search);
    if (!response.ok) throw new Error(`GET ${pathname}: ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  }
}

/** At most so many at once. */
export async function each<T>(items: readonly T[], work: (item: T, n: number) => Promise<void>, at_once = 8) {
  const queue = items.entries();
  await Promise.all(
    Array.from({ length: at_once }, async () => {
      for (const [n, item] of queue) await work(item, n);
    }),
  );
}

/**
 * A tree as form fields. Clients' forms turn line breaks of text into CRLF,
 * so text goes as it is only where it has none.
 */
export function put(form: FormData, name: string, value: unknown) {
  if (value === undefined) return;
  if (Array.isArray(value)) for (const [i, one] of value.entries()) put(form, `${name}[${i}]`, one);
  else if (typeof value === 'object' && value !== null)
    for (const [key, one] of Object.entries(value)) put(form, name === '' ? key : `${name}[${key}]`, one);
  else form.append(name, value === null ? '' : typeof value === 'boolean' ? String(Number(value)) : String(value));
}
