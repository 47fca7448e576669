import type { paths } from './generated/triggers.ts';
import { optionalDate } from './http.ts';
import type { JsonOf } from './triggers-request.ts';

type TriggerBody = JsonOf<paths['/api/triggers/{id}']['get']['responses'][200]>;

/** How far the chain of a chain event is read. */
export interface FollowerState {
  /** The RPC node in use, by its position in the setting of the service. */
  node: number;
  lastBlock?: number | undefined;
  /** Seconds since the nodes told the newest block. */
  lagSec: number;
  /** Why blocks are not read. */
  error?: string | undefined;
  errorSince?: Date | undefined;
}

export const toFollower = (wire: NonNullable<TriggerBody['follower']>): FollowerState => ({
  node: wire.node,
  lastBlock: wire.last_block ?? undefined,
  lagSec: wire.lag_sec,
  error: wire.error ?? undefined,
  errorSince: optionalDate(wire.error_since),
});
