/** Limits the releases of a node, so that a stolen usage key or a hostile runner does not use up its capacity. */
import { createRateLimit } from '@latchkey/http';
import type { KeyPurpose } from '@latchkey/key-protocol';
import type { KeyRequest as Evaluation } from '@latchkey/threshold';

export type ReleaseLimits = {
  /** Call before the chain is asked. Rejects with 429, not as a refusal: the run can be repeated. */
  takeRunner: (runner: string) => Promise<void>;
  /** Call for what the contract permits, so that only names that exist take memory. Rejects with 429. */
  takePermitted: (purpose: KeyPurpose, evaluation: Evaluation) => Promise<void>;
};

/** Releases per minute. */
export type ReleaseLimitOptions = { perKey: number; perWallet: number; perRunner: number };

export function createReleaseLimits({ perKey, perWallet, perRunner }: ReleaseLimitOptions): ReleaseLimits {
  const limitOf = (points: number, name: string) =>
    createRateLimit({
      name: `releases-per-${name.replace(' ', '-')}`,
      points,
      message: `this node releases ${points} parts of keys per minute and ${name}`,
    });
  const keys = limitOf(perKey, 'usage key');
  const wallets = limitOf(perWallet, 'wallet');
  const runners = limitOf(perRunner, 'runner');
  return {
    takeRunner: async (runner) => void (await runners.take(runner)),
    async takePermitted(purpose, evaluation) {
      if ('usageKeyHash' in purpose) await keys.take(purpose.usageKeyHash);
      // Counts by path, which belongs to one account. The address does not: any account can register any address.
      if ('wallet' in purpose && evaluation.kind === 'wallet') await wallets.take(String(evaluation.path));
    },
  };
}
