/** Keeps requests that a user directs away from private networks. */
import { isIP, type LookupFunction } from 'node:net';
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

/**
 * Returns a `lookup` for `net.connect` that fails with the error of `refuse` unless every address of the name is public.
 * The check is made on the addresses of the connection, so that DNS rebinding does not bypass it. Literal addresses are not
 * looked up: check them with `isPublicAddress`.
 */
export const publicLookup =
  (
    resolve: (name: string) => Promise<{ address: string; family: 4 | 6 }[]>,
    refuse: (name: string) => Error,
  ): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const [first] = found;
        if (!first || !found.every(({ address }) => isPublicAddress(address))) callback(refuse(hostname), '');
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
