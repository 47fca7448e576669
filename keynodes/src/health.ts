/** Health of each part of a key node. */
import { createHealthCheck, type HealthCheck, UnhealthyError } from '@latchkey/service/health';
import { BehindError, CodeError } from './blocks.ts';
import type { SeenRequests } from './seen-requests.ts';
import type { Shares } from './shares.ts';

/** The chain is healthy when it answers, the block when it is fresh, and the code when it is pinned. */
export type NodePart = 'chain' | 'block' | 'code' | 'share' | 'requests';

export type NodeHealthOptions = {
  /** Returns the parameters of the published group. Concurrent parts share one question. */
  publishedGroup: () => Promise<string>;
  shares: Shares;
  seen: SeenRequests;
};

export function createNodeHealth({ publishedGroup, shares, seen }: NodeHealthOptions): HealthCheck<NodePart> {
  return createHealthCheck({
    async chain() {
      const error = await publishedGroup().catch((thrown: unknown) => thrown);
      if (error instanceof Error && !(error instanceof BehindError || error instanceof CodeError))
        throw error;
    },
    async block() {
      await publishedGroup().catch((error: unknown) => {
        if (error instanceof CodeError) return;
        throw error instanceof BehindError ? new UnhealthyError(error.message) : error;
      });
    },
    async code() {
      await publishedGroup().catch((error: unknown) => {
        throw error instanceof CodeError ? new UnhealthyError(error.message) : error;
      });
    },
    async share() {
      if (!(await shares.ofPublished(await publishedGroup())))
        throw new UnhealthyError('no share of the published group');
    },
    async requests() {
      if (!seen.isReady(Date.now()))
        throw new UnhealthyError('just started: refuses requests for two seconds');
    },
  });
}
