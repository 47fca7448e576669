/** The source of the keys of a run. */

import { ChainUnavailableError } from '@latchkey/chain/errors';
import type { RuntimeUnavailableError } from '@latchkey/runner-protocol';
import type { AccountConfig } from '../chain/account-config.ts';
import type { ActionKeys } from '../keys/action-keys.ts';
import type { KeyNodes } from '../keys/key-nodes.ts';
import type { KeyProvider } from '../keys/key-provider.ts';
import { createRunKeys } from '../keys/release.ts';
import { KeyNodesUnavailableError } from '../runners/errors.ts';
import type { RunKeySource } from '../runners/key-answers.ts';

type Outage = ChainUnavailableError | RuntimeUnavailableError;
type KeysOfRun = { hash: bigint; cid: string; runId: string; minBlock: bigint };
type Sources = {
  accountConfig: Pick<AccountConfig, 'read'>;
  actionKeys: ActionKeys;
  keyNodes: KeyNodes | undefined;
  keyProvider: KeyProvider;
};

/** Returns the source, and the outage when a key function could not ask. */
export function openRunKeys(
  { accountConfig, actionKeys, keyNodes, keyProvider }: Sources,
  { hash, cid, runId, minBlock }: KeysOfRun,
): { keys: RunKeySource; outage: () => Outage | undefined } {
  let outage: Outage | undefined;
  const noticed = (thrown: unknown): never => {
    if (thrown instanceof ChainUnavailableError) outage = thrown;
    throw thrown;
  };
  if (!keyNodes) {
    // This relayer has the keys. The contract is asked again per key, at the moment of its use.
    const authority = {
      canExecuteAction: (...args: [bigint, bigint]) =>
        accountConfig.read('canExecuteAction', args, minBlock).catch(noticed),
      canUseWalletInAction: (...args: [bigint, bigint, `0x${string}`]) =>
        accountConfig.read('canUseWalletInAction', args, minBlock).catch(noticed),
      getWalletDerivation: (...args: [bigint, `0x${string}`]) =>
        accountConfig.read('getWalletDerivation', args, minBlock).catch(noticed),
    };
    const local = createRunKeys({ keyProvider, usageKeyHash: hash, cid, authority });
    return { keys: { local }, outage: () => outage };
  }
  // The key nodes ask the contract for themselves, per key.
  const isOwn: Parameters<KeyNodes['askFor']>[0] = ({ purpose, run }) =>
    purpose.kind === 'nonces' ||
    ('cid' in purpose && purpose.cid === cid && BigInt(purpose.usageKeyHash) === hash && run === runId);
  const onOutage = (message: string): void => {
    outage = new KeyNodesUnavailableError(message);
  };
  const { certificateOf } = actionKeys;
  return {
    keys: { nodes: keyNodes.askFor(isOwn, minBlock), runId, onOutage, certificateOf },
    outage: () => outage,
  };
}
