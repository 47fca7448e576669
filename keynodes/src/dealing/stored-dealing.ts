/** A dealing as the node stores it. */
import { participant } from '@latchkey/key-protocol';
import type { JointState } from '@latchkey/threshold';
import { z } from 'zod';

export const storedDealing = z.strictObject({
  /** Random bytes of the attempt, chosen by the operator's command. */
  nonce: z.hex().length(64),
  /** SECRET. Seed of the key that subshares are encrypted to; null once they are in. */
  encryptionSeed: z.hex().length(64).nullable(),
  /** Empty until the dealing is proposed. */
  participants: z.array(participant),
  /** SECRET. Null until the dealing is proposed. */
  state: z.custom<JointState>().nullable(),
});
/** SECRET. */
export type StoredDealing = z.infer<typeof storedDealing>;
/** SECRET. */
export type RunningDealing = StoredDealing & { state: JointState };

/** A command that the node refuses. Nothing has changed. The message says what to do. */
export class DealingError extends Error {
  override readonly name = 'DealingError';
  readonly code: 'malformed' | 'refused' | 'conflict';

  constructor(code: DealingError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Throws a DealingError unless the node takes part in the dealing of this session. */
export function runningDealing(dealing: StoredDealing | null, session: string): RunningDealing {
  if (dealing?.state?.[0].setup.session !== session)
    throw new DealingError('conflict', 'this node takes no part in this dealing');
  return { ...dealing, state: dealing.state };
}
