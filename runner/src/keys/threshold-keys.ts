/** The functions of one run that sign with shares: no process has the whole key. */
import { ActionError } from '@latchkey/runner-protocol';
import type { ThresholdKeys } from '@latchkey/runner-protocol/threshold-operation';
import { type Address, bytesToHex, hexToBytes, stringToBytes } from 'viem';
import { type AskNodes, KeyNotReleasedError, type RunOfKeys } from './releases.ts';
import type { Signatures, ToSign } from './signatures.ts';

/** A signature of this text means nothing. It is not a transaction, the challenge of a login, or a hash. */
const PUBLIC_KEY_MESSAGE = 'latchkey/public-key/v1: proves a public key, authorises nothing';

export type ThresholdKeysOptions = { signatures: Signatures; ask: AskNodes; run: RunOfKeys };

export function createThresholdKeys({ signatures, ask, run }: ThresholdKeysOptions): ThresholdKeys {
  const signBy = (pkpId: Address, keyType: ToSign['keyType'], message: Uint8Array) =>
    signatures(run, ask, { wallet: pkpId.toLowerCase(), keyType, message }).catch((error: unknown) => {
      if (error instanceof KeyNotReleasedError && error.isRefused)
        throw new ActionError(
          'WalletNotPermittedError',
          `the wallet ${pkpId} in the action ${run.cid}: ${error.message}`,
        );
      throw error;
    });
  return {
    sign: async ({ pkpId, keyType, message }) =>
      bytesToHex((await signBy(pkpId, keyType, hexToBytes(message))).signature),
    // The relayer could lie about the wallet's path and public key: a signature proves both.
    getPublicKey: async ({ pkpId, keyType }) =>
      bytesToHex((await signBy(pkpId, keyType, stringToBytes(PUBLIC_KEY_MESSAGE))).publicKey),
  };
}
