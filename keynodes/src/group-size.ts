/** The smallest groups in which no single node has the key and any minority of nodes can be lost. */
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import { decodeGroupParameters } from '@latchkey/threshold';
import type { NodeState } from './node-store.ts';

/** Returns why a group is too small for this chain, undefined when it is large enough. The local chain permits every group. */
export function groupSizeFault(chainId: number, threshold: number, nodes: number): string | undefined {
  if (chainId === LOCAL_CHAIN_ID) return undefined;
  if (threshold < 2)
    return `a group with threshold ${threshold} gives each node the key: the threshold must be at least 2`;
  if (nodes < 2 * threshold - 1)
    return `a group with threshold ${threshold} must have at least ${2 * threshold - 1} nodes, not ${nodes}`;
  return undefined;
}

/** Throws when a node has the share of a group that is too small. */
export function requireGroupSize(
  { current, next }: Pick<NodeState, 'current' | 'next'>,
  chainId: number,
): void {
  for (const held of [current, next]) {
    if (!held) continue;
    const { threshold, nodes } = decodeGroupParameters(held.parameters);
    const fault = groupSizeFault(chainId, threshold, nodes.length);
    if (fault) throw new Error(`${fault}. Reshare the key, or start the node on the chain of this group`);
  }
}
