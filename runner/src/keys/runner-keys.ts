/** Keys from key nodes, for the runs of this runner. Loaded only by a runner that has key nodes: its start is shorter without. */
import { createIdentity } from '@latchkey/key-protocol';
import { callKeyOperation } from '@latchkey/runner-protocol/key-operation';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Address, getAddress } from 'viem';
import type { CallKey } from '../action-requests.ts';
import { certifyAction, publicKeyIn } from './action-keys.ts';
import { type AskNodes, createReleases, type RunOfKeys } from './releases.ts';
import { createRunKeys, mintUsageKey, mintWallet } from './run-keys.ts';

/** The keys of one run. */
export type OpenKeys = {
  callKey: CallKey;
  /**
   * The run begins, with these parameters (JSON). Asks ahead for the key of the wallet that they name, or that the last run used.
   * `hasChanged`: a key that was asked for before is not used.
   */
  begin: (params: string, hasChanged: boolean) => void;
  /** Wipes a key that was asked for ahead. */
  end: () => void;
};

/** Keys for the runs of one connection of a relayer: no relayer learns which wallets the runs of another one use. */
export type RunnerKeys = {
  /**
   * Returns the key functions of a run, whose usage key is 0x and hex digits. With `isAhead` asks for the key of the wallet that the
   * last run used. Call `end` when the run has ended or does not begin.
   */
  openRun: (asks: Asks, run: RunOfKeys, isAhead: boolean) => OpenKeys;
  /** Returns the address of a new wallet with its certificate, as JSON, or the secret of a new usage key. */
  mint: (ask: AskNodes, purpose: { kind: 'mint-wallet' | 'mint-usage-key'; path: string }) => Promise<string>;
  /** Returns a certificate of the public key of an action, which is not secret. */
  certify: (ask: AskNodes, run: RunOfKeys) => Promise<string>;
};
/** Where the keys of a run come from: key nodes, and for public keys of other actions the relayer, which has their certificates. */
type Asks = { askNodes: AskNodes; askRelayer: CallKey };

/** Opens the keys for one connection, whose relayer is told which key nodes gave an answer that does not hold. */
export type OpenRunnerKeys = (onWrongAnswer: (node: number) => void) => RunnerKeys;

export type RunnerKeysOptions = {
  /** Group public key of the nodes. */
  group: string;
  /** SECRET. Seed of the key by which the nodes know this runner. */
  seed: string;
  log: Logger;
};

export function openRunnerKeys({ group, seed, log }: RunnerKeysOptions): OpenRunnerKeys {
  const identity = createIdentity(seed);
  log.info({ public_key: identity.publicKey, group }, 'keys come from key nodes');
  return (onWrongAnswer) => {
    const releases = createReleases({ identity, group, log, onWrongAnswer });
    /** Wallet of the last run by usage key and CID, for actions whose parameters do not name it. */
    const lastWallets = new LRUCache<string, Address>({ max: 10_000 });
    return {
      openRun({ askNodes, askRelayer }, run, isAhead) {
        const { usageKeyHash, cid } = run;
        const name = `${usageKeyHash} ${cid}`;
        const publicKeyOf = async (ipfsId: string) =>
          publicKeyIn(await askRelayer('getActionPublicKey', { ipfsId }), ipfsId, group);
        const keys = createRunKeys({ releases, ask: askNodes, ...run, publicKeyOf });
        let expected = lastWallets.get(name);
        let hasBegun = false;
        if (isAhead && expected) keys.askAhead(expected);
        return {
          callKey: (operation, args) => callKeyOperation(keys, operation, args),
          begin(params, hasChanged) {
            hasBegun = true;
            expected = walletIn(params) ?? expected;
            if (hasChanged) keys.dropAhead();
            if (expected) keys.askAhead(expected);
          },
          end() {
            const used = keys.end();
            if (!hasBegun) return;
            // After a wrong guess the next run of the action asks for no key ahead.
            if (used && (!expected || used === expected)) lastWallets.set(name, used);
            else lastWallets.delete(name);
          },
        };
      },
      mint: async (ask, { kind, path }) =>
        kind === 'mint-usage-key'
          ? mintUsageKey(releases, ask, path)
          : JSON.stringify(await mintWallet(releases, ask, path)),
      certify: (ask, run) => certifyAction(releases, ask, run),
    };
  };
}

/** Returns the wallet of the parameter `pkpId`. Without a full parse: parameters can be long, and a wrong wallet does no harm. */
function walletIn(params: string): Address | undefined {
  const [, address] = /"pkpId"\s*:\s*"(0x[0-9a-fA-F]{40})"/.exec(params) ?? [];
  return address === undefined ? undefined : getAddress(address.toLowerCase());
}
