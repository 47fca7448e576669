/** Keeps requests that a user directs away from private networks and from this machine. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Cloud metadata services on otherwise public addresses. */
const METADATA_ADDRESSES = new Set(['168.63.129.16']);
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/**
 * Returns true for an address of the public internet. False for every address a user must not reach: private,
 * loopback, link-local, CGNAT, ULA, multicast, reserved, 0/8, metadata services, and every IPv6 form that contains an
 * IPv4 address (mapped, compatible, NAT64, 6to4, Teredo), whatever that address is.
 */
export const isPublicAddress = (text: string): boolean => {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast' || METADATA_ADDRESSES.has(address.toString())) return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST_V6);
};

/** More addresses of a name are not used. */
const MAX_ADDRESSES = 16;
/** Nothing is sent to it. */
const ANY_PORT = 9;

/**
 * Resolves to whether an address belongs to this machine: the kernel would then send from that same address. The list of interfaces
 * lacks addresses of interfaces without a carrier. Undefined when the kernel has no route.
 */
async function isOwnAddress(address: string): Promise<boolean | undefined> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    socket.connect(ANY_PORT, address);
    await once(socket, 'connect');
    return ipaddr.parse(socket.address().address).toString() === ipaddr.parse(address).toString();
  } catch {
    return undefined;
  } finally {
    socket.close();
  }
}

/**
 * Resolves to the addresses to which there is a route. Rejects with the error of `refuse` unless every one is public, of
 * another machine, and not forbidden.
 */
export async function publicAddresses(
  addresses: string[],
  refuse: () => Error,
  forbidden = new BlockList(),
): Promise<string[]> {
  const isForbidden = (address: string): boolean =>
    !isPublicAddress(address) || forbidden.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  if (addresses.length === 0 || addresses.some(isForbidden)) throw refuse();
  const tried = addresses.slice(0, MAX_ADDRESSES);
  const own = await Promise.all(tried.map(isOwnAddress));
  if (own.includes(true)) throw refuse();
  const reachable = tried.filter((_, index) => own[index] === false);
  if (reachable.length > 0) return reachable;
  throw Object.assign(new Error('no route to the address'), { code: 'ENETUNREACH' });
}

/**
 * Returns a `lookup` for `net.connect` that fails as `publicAddresses` does. The check is made on the addresses of the connection, so that
 * DNS rebinding does not bypass it. Literal addresses are not looked up: check them with `publicAddresses`.
 */
export const publicLookup =
  (
    resolve: (name: string) => Promise<{ address: string; family: 4 | 6 }[]>,
    refuse: (name: string) => Error,
    forbidden?: BlockList,
  ): LookupFunction =>
  (hostname, options, callback) => {
    const find = async () => {
      const found = await resolve(hostname);
      const all = found.map(({ address }) => address);
      const reachable = await publicAddresses(all, () => refuse(hostname), forbidden);
      return found.filter(({ address }) => reachable.includes(address));
    };
    find().then(
      (found) => {
        const [first] = found;
        if (options.all || !first) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
