import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the network that a client's address counts as in every limit per address: an IPv4 address itself, also when
 * it is written as IPv6, and the /64 of an IPv6 address, which one subscriber has whole. Other texts count as they are.
 */
export function clientNetwork(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const prefix = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(':')}::/64`;
}
