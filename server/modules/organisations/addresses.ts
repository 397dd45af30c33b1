import { isLoopback } from '../../kernel/http/base-url.ts';

/** Where an organisation is reached: a host, with a port perhaps, and the whole address that links begin with. */
export interface Address {
  domain: string;
  web_url: string;
}

const LABEL = '[a-z0-9]([a-z0-9-]*[a-z0-9])?';
const HOST = String.raw`(?=[^:]{1,253}(:|$))${LABEL}(\.${LABEL})*|\[[0-9a-f:]+\]`;
const ADDRESS = new RegExp(String.raw`^(?:(https?):\/\/)?((?:${HOST})(?::\d{1,5})?)\/?$`);
/** Names of this machine, where nobody has certificates. */
const LOCAL = /^(127\.|\[::1\]|localhost|[^/]*\.localhost)/;

/** `intranet.example.com` is https, as all but this machine's own names are; `http://10.0.0.5:4000` says what it is. */
export function addressOf(text: string): Address | undefined {
  const [, scheme, domain] = ADDRESS.exec(text.trim().toLowerCase()) ?? [];
  if (!domain) return undefined;
  return { domain, web_url: `${scheme ?? (LOCAL.test(domain) ? 'http' : 'https')}://${domain}` };
}

/** An origin exactly as browsers send it; of plain http only this machine's, where that is allowed. */
export function isOrigin(text: string, mayBeLocal: boolean): boolean {
  const url = URL.parse(text);
  if (url?.origin !== text || addressOf(text)?.web_url !== text) return false;
  return url.protocol === 'https:' || (mayBeLocal && isLoopback(url.host));
}
