import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Cloud metadata services on otherwise public addresses. */
const METADATA_ADDRESSES = new Set(['168.63.129.16']);
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/**
 * Returns true for an address of the public internet. False for every address an action must not reach: private,
 * loopback, link-local, CGNAT, ULA, multicast, reserved, 0/8, metadata services, and every IPv6 form that contains an
 * IPv4 address (mapped, compatible, NAT64, 6to4, Teredo), whatever that address is.
 */
export const isPublicAddress = (text: string): boolean => {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast' || METADATA_ADDRESSES.has(address.toString())) return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST_V6);
};
