// Which IP addresses belong to the public internet. IANA's special-purpose registries (RFC 6890 and later) say which
// do not.
import { BlockList, isIP, isIPv4 } from 'node:net';

/** Throws when the text is no range such as `10.1.0.0/16` and no address. */
export function rangesOf(cidrs: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/');
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    if (family === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)))
      throw new Error(`"${cidr}" is no address range. Write it as 10.1.0.0/16 or fd00:1::/32.`);
    ranges.addSubnet(address, bits === undefined ? most : Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  }
  return ranges;
}
export const isWithin = (ranges: BlockList, address: string) =>
  ranges.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

/** Other IPv6 addresses are never public: not the v4-mapped, NAT64, unique local, link-local or multicast ones. */
const globalIPv6 = rangesOf(['2000::/3']);
const special = rangesOf([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carriers' NAT; a cloud's metadata too
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's metadata, though the block is public
  '169.254.0.0/16', // link-local, metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '2001::/23', // protocol assignments, Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: carries any IPv4 address
  '3fff::/20', // documentation
]);

/** `address` as the resolver or the URL parser writes it. */
export const isPublic = (address: string) =>
  (isIPv4(address) || isWithin(globalIPv6, address)) && !isWithin(special, address);
