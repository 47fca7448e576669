import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the network that a client's address counts as in every limit per address: an IPv4 address itself, also in
 * its IPv6-mapped form, and the /64 of an IPv6 address, because one subscriber owns a /64. Other texts are returned
 * unchanged.
 */
export function clientNetwork(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const prefix = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(':')}::/64`;
}
