/** Keys from key nodes, for all runs of this runner. Loaded only by a runner that has key nodes: its start is shorter without. */
import { createIdentity, type KeyPurpose } from '@latchkey/key-protocol';
import { callKeyOperation } from '@latchkey/runner-protocol/key-operation';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Address, getAddress } from 'viem';
import type { CallKey } from '../action-requests.ts';
import { type AskNodes, createReleases } from './releases.ts';
import { createRunKeys, mint } from './run-keys.ts';

/** `usageKeyHash` is 0x and hex digits, `params` JSON. */
type RunOfKeys = { usageKeyHash: string; cid: string; params: string };

export type RunnerKeys = {
  /** Returns the key functions of a run. Call `end` when it has ended. */
  openRun: (ask: AskNodes, run: RunOfKeys) => { callKey: CallKey; end: () => void };
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
  /** Wallet of the last run by usage key and CID, for actions whose parameters do not name it. */
  const lastWallets = new LRUCache<string, Address>({ max: 10_000 });
  return {
    openRun(ask, { usageKeyHash, cid, params }) {
      const name = `${usageKeyHash} ${cid}`;
      const expected = walletIn(params) ?? lastWallets.get(name);
      const keys = createRunKeys({ releases, ask, usageKeyHash, cid, expected });
      return {
        callKey: (operation, args) => callKeyOperation(keys, operation, args),
        end() {
          const used = keys.end();
          // After a wrong guess the next run of the action asks for no key ahead.
          if (used && (!expected || used === expected)) lastWallets.set(name, used);
          else lastWallets.delete(name);
        },
      };
    },
    mint: (ask, purpose) => mint(releases, ask, purpose),
  };
}

/** Returns the wallet of the parameter `pkpId`. Without a full parse: parameters can be long, and a wrong wallet does no harm. */
function walletIn(params: string): Address | undefined {
  const [, address] = /"pkpId"\s*:\s*"(0x[0-9a-fA-F]{40})"/.exec(params) ?? [];
  return address === undefined ? undefined : getAddress(address.toLowerCase());
}
