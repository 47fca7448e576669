/** Key nodes and their group as the operator of a relayer sees them. */
import {
  APPROVED_NODES_CONFIGURATION,
  decodeApprovedNodes,
  GROUP_CONFIGURATION,
} from '@latchkey/key-protocol';
import { decodeGroupParameters } from '@latchkey/threshold/parameters';
import { z } from 'zod';
import { askDealing, askHealth } from '../keys/node-health.ts';
import { orNull } from './or-null.ts';

export const keyGroupStatus = z.object({
  epoch: z.int(),
  threshold: z.int(),
  nodes: z.int(),
  /** The group that the contract approves for dealings. */
  approved: z.object({ threshold: z.int(), identities: z.array(z.string()) }).nullable(),
});

export const keyNodeStatus = z.object({
  /** Position in KEY_NODES, from 1. */
  node: z.int(),
  host: z.string(),
  version: z.string().nullable(),
  public_key: z.string().nullable(),
  /** Place in the group, and epoch of the share that the node holds. */
  identifier: z.int().nullable(),
  epoch: z.int().nullable(),
  /** Null for a healthy node. */
  fault: z.string().nullable(),
  /** Unix seconds at which it deals in a newly approved group unless its operator refuses. */
  waits_until: z.int().nullable(),
  dealing: z.object({ round: z.string().nullable(), missing: z.array(z.int()), faults: z.int() }).nullable(),
});

export type NodeConfiguration = readonly { readonly key: string; readonly value: string }[];

/** Returns the group of the node configuration; null when it has none. */
export function keyGroupOf(configuration: NodeConfiguration): z.output<typeof keyGroupStatus> | null {
  const textOf = (name: string) => configuration.find(({ key }) => key === name)?.value ?? '';
  const group = decoded(decodeGroupParameters, textOf(GROUP_CONFIGURATION));
  if (!group) return null;
  const approved = decoded(decodeApprovedNodes, textOf(APPROVED_NODES_CONFIGURATION));
  return { epoch: group.epoch, threshold: group.threshold, nodes: group.nodes.length, approved };
}

function decoded<T>(decode: (text: string) => T, text: string): T | null {
  try {
    return decode(text);
  } catch {
    return null;
  }
}

export const readKeyNodes = (urls: readonly string[]): Promise<z.output<typeof keyNodeStatus>[]> =>
  Promise.all(
    urls.map(async (url, i) => {
      const [health, view] = await Promise.all([orNull(askHealth(url)), orNull(askDealing(url))]);
      const dealing = view?.dealing;
      return {
        node: i + 1,
        host: new URL(url).host,
        version: health?.version ?? null,
        public_key: view?.public_key ?? null,
        identifier: view?.current?.identifier ?? null,
        epoch: decoded(decodeGroupParameters, view?.current?.parameters ?? '')?.epoch ?? null,
        fault: health ? (health.fault ?? null) : 'does not answer',
        waits_until: health?.waits?.untilSec ?? null,
        dealing: dealing
          ? { round: dealing.round, missing: dealing.missing, faults: dealing.faults.length }
          : null,
      };
    }),
  );
