/** Keys from key nodes, for all runs of this runner. Loaded only by a runner that has key nodes: its start is shorter without. */
import { createIdentity, type KeyPurpose } from '@latchkey/key-protocol';
import { callKeyOperation } from '@latchkey/runner-protocol/key-operation';
import type { Logger } from 'pino';
import type { CallKey } from '../action-requests.ts';
import { type AskNodes, createReleases } from './releases.ts';
import { createRunKeys, mint } from './run-keys.ts';

export type RunnerKeys = {
  /** Returns the key functions of a run. `usageKeyHash` is 0x and hex digits. */
  callKeyFor: (ask: AskNodes, run: { usageKeyHash: string; cid: string }) => CallKey;
  /** Returns the address of a new wallet in lower case, or the secret of a new usage key. */
  mint: (ask: AskNodes, purpose: Extract<KeyPurpose, { path: string }>) => Promise<string>;
};

export type RunnerKeysOptions = {
  /** Group public key of the nodes. */
  group: string;
  /** SECRET. Seed of the key by which the nodes know this runner. */
  seed: string;
  log: Logger;
};

export function openRunnerKeys({ group, seed, log }: RunnerKeysOptions): RunnerKeys {
  const identity = createIdentity(seed);
  log.info({ public_key: identity.publicKey, group }, 'keys come from key nodes');
  const releases = createReleases({ identity, group, log });
  return {
    callKeyFor(ask, run) {
      const keys = createRunKeys({ releases, ask, ...run });
      return (operation, args) => callKeyOperation(keys, operation, args);
    },
    mint: (ask, purpose) => mint(releases, ask, purpose),
  };
}
