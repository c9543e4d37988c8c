import { isIPv4, isIPv6 } from 'node:net';

/** A client's address in a normal form. IPv4-mapped IPv6 becomes IPv4. Null: not an address. */
export function plainAddress(ip: string | undefined): string | null {
  if (ip === undefined) return null;
  if (isIPv4(ip)) return ip;
  const mapped = ip.startsWith('::ffff:') ? ip.slice(7) : '';
  if (isIPv4(mapped)) return mapped;
  const [address = ''] = ip.split('%');
  if (!isIPv6(address)) return null;
  // The URL parser returns the shortest form of an address.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join('.');
}

/** The network of an address. A client can own all addresses of an IPv6 /64. */
export function networkOf(address: string | null): string {
  if (address === null || !isIPv6(address)) return address ?? 'unknown';
  // Expand `::` to zeros.
  const [start = [], end = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array(Math.max(0, 8 - start.length - end.length)).fill('0');
  return [...start, ...zeros, ...end].slice(0, 4).join(':');
}
