// A DNS server on loopback (RFC 1035 4), for what names may lead to. UDP, A and AAAA only.
import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import { after } from 'node:test';

export interface DnsServer {
  /** For ATRIUM_EGRESS_DNS. */
  readonly address: string;
  readonly asked: string[];
  /** Addresses of a name; the function is called for every question. Without an entry the name does not exist. */
  readonly names: Map<string, () => readonly string[]>;
}
const [A, AAAA] = [1, 28];

export async function startDns(): Promise<DnsServer> {
  const names: DnsServer['names'] = new Map();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    asked.push(`${name} ${type}`);
    const known = names.get(name);
    const addresses = (known?.() ?? []).filter((address) => type === (isIPv4(address) ? A : AAAA));
    const header = Buffer.from(query.subarray(0, 12));
    // A response, recursion available; code 3 where there is no such name.
    header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.fill(0, 8, 12);
    socket.send(
      Buffer.concat([header, query.subarray(12, end), ...addresses.map((address) => recordOf(type, address))]),
      from.port,
      from.address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  after(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked, names };
}

function questionOf(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Points at the question's name, class IN, no time to live. */
function recordOf(type: number, address: string) {
  const bytes = type === A ? Buffer.from(address.split('.').map(Number)) : bytesOfIPv6(address);
  return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]), bytes]);
}
function bytesOfIPv6(address: string) {
  const [head = '', tail = ''] = address.split('::');
  const [first, last] = [head, tail].map((part) => part.split(':').filter(Boolean));
  const groups = [
    ...(first ?? []),
    ...Array(8 - (first?.length ?? 0) - (last?.length ?? 0)).fill('0'),
    ...(last ?? []),
  ];
  return Buffer.from(groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]));
}
