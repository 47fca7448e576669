/** The bloom filter of a block header: three bits per address and topic of the block's logs (Ethereum yellow paper, 4.4.3). */
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import { LRUCache } from 'lru-cache';
import { type Hex, hexToBytes, keccak256 } from 'viem';
import { chainIds } from '../config.ts';
import type { Topics } from './chain-rpc.ts';

/**
 * Chains whose headers cover all logs of `eth_getLogs`. Not Polygon, whose headers lack the logs of state syncs, and no unknown chain:
 * some return an empty filter.
 */
const COVERED = new Set<number>([
  chainIds.ethereum,
  chainIds.base,
  chainIds.arbitrum,
  chainIds.bsc,
  LOCAL_CHAIN_ID,
]);

/** Returns false when a block certainly has no log with the value of these bits. */
export type BloomTest = (bits: readonly number[]) => boolean;

/** Returns the test of a block of a chain. */
export function openBloom(chainId: number, bloom: Hex | undefined): BloomTest {
  if (!bloom || !COVERED.has(chainId)) return () => true;
  const bytes = hexToBytes(bloom);
  return (bits) => {
    for (const bit of bits) if (((bytes[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) === 0) return false;
    return true;
  };
}

/** Returns false when a block certainly has no log with the topics. */
export const mayHaveTopics = (mayHave: BloomTest, topics: Topics): boolean =>
  topics.every((topic) => topic === null || [topic].flat().some((each) => mayHave(bitsOf(each))));

/** Bits of recent values: every block is tested for the same ones. */
const known = new LRUCache<Hex, readonly number[]>({ max: 50_000 });

/** Returns the numbers of the three bits of a value. */
export function bitsOf(value: Hex): readonly number[] {
  let bits = known.get(value);
  if (!bits) {
    const hash = keccak256(value, 'bytes');
    bits = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2_047);
    known.set(value, bits);
  }
  return bits;
}
