/** The key functions of one run, with keys from key nodes. No key outlives the call that asked for it. */
import type { KeyPurpose } from '@latchkey/key-protocol';
import { ActionError } from '@latchkey/runner-protocol';
import type { RunKeys } from '@latchkey/runner-protocol/key-operation';
import { decryptText, encryptText } from '@latchkey/runner-protocol/message-cipher';
import {
  deriveActionKey,
  deriveUsageKeySecret,
  deriveWalletKeys,
  type WalletKeys,
} from '@latchkey/threshold';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { type Address, bytesToHex, type Hex, isAddressEqual } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { type AskNodes, KeyNotReleasedError, type Released, type Releases } from './releases.ts';

export type RunKeysOptions = {
  releases: Releases;
  ask: AskNodes /** 0x and hex digits. */;
  usageKeyHash: string;
  cid: string;
};

export function createRunKeys({ releases, ask, usageKeyHash, cid }: RunKeysOptions): RunKeys {
  const run = { usageKeyHash, cid };
  const release = (
    purpose: KeyPurpose,
    { errorName, subject }: { errorName: string; subject: string },
    isRight?: (released: Released) => boolean,
  ): Promise<Released> =>
    releases(purpose, ask, isRight).catch((error: unknown) => {
      if (error instanceof KeyNotReleasedError && error.isRefused)
        throw new ActionError(errorName, `${subject}: ${error.message}`);
      throw error;
    });

  const withWallet = async <T>(pkpId: Address, use: (keys: WalletKeys) => T): Promise<T> => {
    const wallet = pkpId.toLowerCase();
    const named = {
      errorName: 'WalletNotPermittedError',
      subject: `the wallet ${pkpId} in the action ${cid}`,
    };
    let recognised: Released | undefined;
    const isOfWallet = (candidate: Released): boolean => {
      const { signingKey } = deriveWalletKeys(candidate.output);
      const isRight = isAddressEqual(privateKeyToAddress(bytesToHex(signingKey)), pkpId);
      if (isRight) recognised = candidate;
      signingKey.fill(0);
      return isRight;
    };
    const released = await release({ kind: 'wallet', ...run, wallet }, named, isOfWallet);
    const { output } = released;
    const keys = deriveWalletKeys(output);
    try {
      // Any account can register another's address with its own path: only the key shows whose address it is.
      if (released !== recognised && !isOfWallet(released)) {
        const message = `the wallet ${pkpId} does not match the key at its derivation path`;
        throw new ActionError('WalletMismatchError', message);
      }
      return use(keys);
    } finally {
      for (const secret of [output, keys.signingKey, keys.encryptionKey]) secret.fill(0);
    }
  };
  const withAction = async <T>(ofCid: string, use: (key: Uint8Array) => T): Promise<T> => {
    const named = { errorName: 'PermissionError', subject: `the action ${cid}` };
    const { output } = await release({ kind: 'action', ...run, ofCid }, named);
    const key = deriveActionKey(output);
    try {
      return use(key);
    } finally {
      for (const secret of [output, key]) secret.fill(0);
    }
  };
  const publicKeyOf = (key: Uint8Array): Hex => bytesToHex(secp256k1.getPublicKey(key, true));

  return {
    getPrivateKey: ({ pkpId }) => withWallet(pkpId, ({ signingKey }) => bytesToHex(signingKey)),
    Encrypt: ({ pkpId, message }) =>
      withWallet(pkpId, ({ encryptionKey }) => encryptText(encryptionKey, message)),
    Decrypt: ({ pkpId, ciphertext }) =>
      withWallet(pkpId, ({ encryptionKey }) => decryptText(encryptionKey, ciphertext)),
    getActionPrivateKey: () => withAction(cid, (key) => bytesToHex(key)),
    getActionPublicKey: ({ ipfsId }) => withAction(ipfsId, publicKeyOf),
    getActionWalletAddress: ({ ipfsId }) => withAction(ipfsId, (key) => privateKeyToAddress(bytesToHex(key))),
  };
}

/** Makes a wallet or a usage key. Returns the address of the wallet in lower case, or the secret of the usage key. */
export async function mint(
  releases: Releases,
  ask: AskNodes,
  purpose: Extract<KeyPurpose, { kind: 'mint-wallet' | 'mint-usage-key' }>,
): Promise<Hex> {
  const { output } = await releases(purpose, ask);
  const secret =
    purpose.kind === 'mint-wallet' ? deriveWalletKeys(output).signingKey : deriveUsageKeySecret(output);
  try {
    const hex = bytesToHex(secret);
    return purpose.kind === 'mint-wallet' ? (privateKeyToAddress(hex).toLowerCase() as Hex) : hex;
  } finally {
    for (const bytes of [output, secret]) bytes.fill(0);
  }
}
