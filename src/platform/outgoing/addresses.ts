import { lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { codeOf } from '../../shared/errors.ts';

/** Networks that are not on the internet: private, loopback, link-local, and reserved for other purposes. */
const special = new BlockList();
for (const network of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
])
  add(network, 'ipv4');
for (const network of [
  // Unspecified, loopback, and the addresses that contain one of IPv4.
  ...['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/23'],
  ...['100::/64', '2001:db8::/32', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
])
  add(network, 'ipv6');

function add(network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits] = network.split('/');
  special.addSubnet(address, Number(bits), family);
}

/** An IPv4 address inside one of IPv6 counts too. */
export function isSpecial(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').split('%')[0] ?? '';
  return isIP(plain) > 0 && special.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}

/** The host of a URL is a special address, or a name of this machine. */
export function isSpecialHost(hostname: string): boolean {
  return isSpecial(hostname) || /^(localhost|.*\.localhost)\.?$/i.test(hostname);
}

export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress';
  constructor(host: string) {
    super(`The address of ${host} is private or reserved, so nothing is sent to it.`);
  }
}

interface Address {
  address: string;
  family: number;
}

/**
 * Resolves a name once, and gives only addresses on the internet unless private ones are allowed. The connection is made to exactly these, so a name that
 * resolves to another address a moment later makes no difference. Node does not call it for a host that is an address.
 */
export function lookupBy(servers: string[] | undefined, allowPrivate: boolean): LookupFunction {
  const resolve = servers ? resolveBy(servers) : resolveBySystem;
  return (hostname, { all }, callback) => {
    (isSpecialHost(hostname) ? resolveBySystem : resolve)(hostname).then(
      (addresses) => {
        const allowed = addresses.filter(({ address }) => allowPrivate || !isSpecial(address));
        const [first] = allowed;
        if (!first) callback(new ForbiddenAddress(hostname), '', 0);
        else if (all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

function resolveBySystem(hostname: string): Promise<Address[]> {
  return new Promise((resolved, failed) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? failed(error) : resolved(addresses)));
  });
}

const [tries, timeoutMs] = [2, 3000];

function resolveBy(servers: string[]): (hostname: string) => Promise<Address[]> {
  const resolver = new Resolver({ tries, timeout: timeoutMs });
  resolver.setServers(servers);
  return async (hostname) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    // The refused connection is the one to the name server.
    if (found.length === 0 && four.status === 'rejected')
      throw codeOf(four.reason) === 'ECONNREFUSED' ? Object.assign(four.reason, { code: 'ETIMEOUT' }) : four.reason;
    return found;
  };
}
