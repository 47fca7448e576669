/** Logs of a factory and of its children. */
import { type Hex, numberToHex, pad } from 'viem';
import { parseEventSignature, toTopic0 } from '../src/sources/event-signature.ts';
import { filled } from './chain-triggers.ts';
import type { NewLog } from './stand-in-chain.ts';

export const FACTORY: Hex = `0x${'fa'.repeat(20)}`;
export const MADE_EVENT = 'Made(address indexed child, uint256 salt)';
export const MADE = toTopic0(parseEventSignature(MADE_EVENT));

export const child = (n: number): Hex => pad(numberToHex(n), { size: 20 });

/** The announcement of a child. */
export const made = (n: number, by = FACTORY): NewLog => ({
  address: by,
  topics: [MADE, pad(child(n))],
  data: `0x${'0'.repeat(64)}`,
});

/** An event of a child. */
export const from = (n: number): NewLog => filled(n, child(n));
