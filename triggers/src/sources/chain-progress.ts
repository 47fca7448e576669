/** How far the follower of a chain is, for the API, health and metrics. */
import type { NodeStatus } from '@latchkey/chain/nodes';
import { DegradedError } from '@latchkey/service/health';

/** Age of the last answer above which the follower counts as degraded: a node that is replaced costs some seconds. */
const LATE_SEC = 15;

/** Why blocks are not read. The message is public. */
export type FollowFault = { message: string; since: Date };

export type FollowerState = {
  /** Position of the node in use among the RPC URLs of the chain, from 1. */
  node: number;
  /** Newest block; undefined before the first one. */
  block: number | undefined;
  /** Seconds since the nodes last told their newest block. */
  lagSec: number;
  fault: FollowFault | undefined;
};

export type Progress = {
  succeeded: () => void;
  failed: (message: string) => void;
  /** Call when the chain has no triggers. */
  stopped: () => void;
  /** Returns undefined while the chain has no triggers. */
  state: () => FollowerState | undefined;
};

export function createProgress(head: () => bigint, nodes: () => NodeStatus[]): Progress {
  let answeredMs: number | undefined;
  let fault: FollowFault | undefined;
  return {
    succeeded() {
      answeredMs = performance.now();
      fault = undefined;
    },
    failed(message) {
      answeredMs ??= performance.now();
      fault = { message, since: fault?.since ?? new Date() };
    },
    stopped() {
      answeredMs = undefined;
      fault = undefined;
    },
    state() {
      if (answeredMs === undefined) return undefined;
      const block = Number(head());
      return {
        node: nodes().find(({ isUsed }) => isUsed)?.node ?? 1,
        block: block === 0 ? undefined : block,
        lagSec: Math.round((performance.now() - answeredMs) / 1_000),
        fault,
      };
    },
  };
}

/** Throws a DegradedError that names the chains whose nodes have not answered for a while. */
export function checkFollowers(states: ReadonlyMap<string, FollowerState>): void {
  const late = [...states].filter(([, { fault, lagSec }]) => fault && lagSec >= LATE_SEC);
  if (late.length === 0) return;
  throw new DegradedError(
    `no event of these chains fires: ${late.map(([chain, { lagSec }]) => `${chain} for ${lagSec} s`).join(', ')}`,
  );
}
