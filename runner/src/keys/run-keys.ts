/** The key functions of one run, with keys from key nodes, in a process that ends with the call (`key-program.ts`). */
import { type EvaluationPurpose, NOT_EXPORTABLE, type WalletUse } from '@latchkey/key-protocol';
import { isExportable } from '@latchkey/protocol';
import { ActionError } from '@latchkey/runner-protocol';
import { notExportable, type RunKeys } from '@latchkey/runner-protocol/key-operation';
import { decryptText, encryptText } from '@latchkey/runner-protocol/message-cipher';
import { decryptSecret } from '@latchkey/runner-protocol/secret-cipher';
import {
  addressOf,
  addressOfPublicKey,
  compressedPublicKey,
  signHash,
  uncompressedPublicKey,
} from '@latchkey/service/secp256k1';
import {
  deriveActionKey,
  deriveUsageKeySecret,
  deriveWalletKeys,
  type WalletKeys,
} from '@latchkey/threshold';
import type { GroupSignature } from '@latchkey/threshold/group-signature';
import { type Address, bytesToHex, type Hex, isAddressEqual } from 'viem';
import type { Released } from './answers.ts';
import { type AskNodes, KeyNotReleasedError, type Releases } from './releases.ts';

export type RunKeysOptions = {
  releases: Releases;
  ask: AskNodes;
  /** 0x and hex digits. */
  usageKeyHash: string;
  cid: string;
  /** Public id of the run. */
  runId?: string | undefined;
  /** SPEC-GAP (D-39): resolves to the compressed public key of another action, once that has run. */
  publicKeyOf: (cid: string) => Promise<Hex>;
};

export type PreparedRunKeys = RunKeys & {
  /** Asks for the key of a wallet now, because the run probably needs it. Once. */
  askAhead: (wallet: Address, use: WalletUse) => void;
};

export function createRunKeys(options: RunKeysOptions): PreparedRunKeys {
  const { ask, usageKeyHash, cid, publicKeyOf } = options;
  let ahead: ReturnType<typeof requestAhead> | undefined;

  const withWallet = async <T>(pkpId: Address, use: WalletUse, work: (keys: WalletKeys) => T): Promise<T> => {
    const prepared = ahead?.wallet === pkpId ? await ahead.take() : undefined;
    return useWallet(prepared ?? (await releaseWallet(options, ask, pkpId, use)), pkpId, use, work);
  };
  const withAction = async <T>(use: (key: Uint8Array) => T): Promise<T> => {
    const { output } = await release(options, ask, {
      purpose: { kind: 'action', usageKeyHash, cid },
      errorName: 'PermissionError',
      subject: `the action ${cid}`,
    });
    const key = deriveActionKey(output);
    try {
      return use(key);
    } finally {
      for (const secret of [output, key]) secret.fill(0);
    }
  };

  const getActionPublicKey: RunKeys['getActionPublicKey'] = ({ ipfsId }) =>
    ipfsId === cid ? withAction(compressedPublicKey) : publicKeyOf(ipfsId);

  return {
    getPrivateKey: ({ pkpId }) => withWallet(pkpId, 'export', ({ signingKey }) => bytesToHex(signingKey)),
    signHashes: ({ pkpId, hashes }) =>
      withWallet(pkpId, 'inside', ({ signingKey }) => hashes.map((hash) => signHash(hash, signingKey))),
    Encrypt: ({ pkpId, message }) =>
      withWallet(pkpId, 'inside', ({ encryptionKey }) => encryptText(encryptionKey, message)),
    Decrypt: ({ pkpId, ciphertext }) =>
      withWallet(pkpId, 'inside', ({ encryptionKey }) => decryptText(encryptionKey, ciphertext)),
    getSecret: ({ pkpId, ciphertext, ...secret }) =>
      withWallet(pkpId, 'inside', ({ signingKey }) =>
        decryptSecret(signingKey, Buffer.from(ciphertext, 'base64'), secret),
      ),
    getActionPrivateKey: () => withAction((key) => bytesToHex(key)),
    getActionPublicKey,
    getActionWalletAddress: async (request) => addressOfPublicKey(await getActionPublicKey(request)),
    askAhead(wallet, use) {
      ahead = requestAhead(wallet, (nodes) => releaseWallet(options, nodes, wallet, use), ask);
    },
  };
}

type Asked = {
  purpose: EvaluationPurpose;
  errorName: string;
  /** The wallet or action, as the error names it. */
  subject: string;
  isRight?: (released: Released) => boolean;
};

function release(
  { releases, runId }: RunKeysOptions,
  nodes: AskNodes,
  { purpose, errorName, subject, isRight }: Asked,
): Promise<Released> {
  return releases(purpose, nodes, isRight, runId).catch((error: unknown) => {
    if (error instanceof KeyNotReleasedError && error.isRefused)
      throw error.message === NOT_EXPORTABLE
        ? notExportable(subject)
        : new ActionError(errorName, `${subject}: ${error.message}`);
    throw error;
  });
}

/** `isOfWallet`: the key is the wallet's. */
type ReleasedWallet = { released: Released; isOfWallet: boolean };

async function releaseWallet(
  options: RunKeysOptions,
  nodes: AskNodes,
  pkpId: Address,
  use: WalletUse,
): Promise<ReleasedWallet> {
  const { usageKeyHash, cid } = options;
  let recognised: Released | undefined;
  const isRight = (candidate: Released): boolean => {
    const { signingKey, encryptionKey } = deriveWalletKeys(candidate.output);
    const isOfWallet = isAddressEqual(addressOf(signingKey), pkpId);
    if (isOfWallet) recognised = candidate;
    for (const secret of [signingKey, encryptionKey]) secret.fill(0);
    return isOfWallet;
  };
  const released = await release(options, nodes, {
    purpose: { kind: 'wallet', usageKeyHash, cid, wallet: pkpId.toLowerCase(), use },
    errorName: 'WalletNotPermittedError',
    subject: `the wallet ${pkpId} in the action ${cid}`,
    isRight,
  });
  return { released, isOfWallet: released === recognised || isRight(released) };
}

/** Overwrites the keys after `work`. */
function useWallet<T>(
  { released: { output, evaluation }, isOfWallet }: ReleasedWallet,
  pkpId: Address,
  use: WalletUse,
  work: (keys: WalletKeys) => T,
): T {
  const keys = deriveWalletKeys(output);
  try {
    // Any account can register another account's address with its own path: only the key shows whose address it is.
    if (!isOfWallet) {
      const message = `the wallet ${pkpId} does not match the key at its derivation path`;
      throw new ActionError('WalletMismatchError', message);
    }
    if (use === 'export' && 'path' in evaluation && !isExportable(evaluation.path))
      throw notExportable(`the wallet ${pkpId}`);
    return work(keys);
  } finally {
    for (const secret of [output, keys.signingKey, keys.encryptionKey]) secret.fill(0);
  }
}

/** Asks the nodes for the key of a wallet before the action uses it. */
function requestAhead(wallet: Address, release: (nodes: AskNodes) => Promise<ReleasedWallet>, ask: AskNodes) {
  // A failure is an outage only when the action waits for the key.
  const isAwaited = Promise.withResolvers<boolean>();
  let hasFailed = false;
  const nodes: AskNodes = (...request) => {
    const done = ask(...request);
    return (isMissing) => (isMissing ? void isAwaited.promise.then(done) : done(false));
  };
  const releasing = release(nodes);
  releasing.catch(() => {
    hasFailed = true;
    isAwaited.resolve(false);
  });
  return {
    wallet,
    /**
     * Resolves to undefined when the nodes refused the key, or had failed to answer before this call: the caller asks again. Rejects when
     * they fail to answer during this call: a second request would take as long.
     */
    async take(): Promise<ReleasedWallet | undefined> {
      if (hasFailed) return undefined;
      isAwaited.resolve(true);
      return releasing.catch((error: unknown) => {
        if (error instanceof KeyNotReleasedError && !error.isRefused) throw error;
        return undefined;
      });
    },
  };
}

/** Makes a usage key. Returns its secret. */
export async function mintUsageKey(releases: Releases, ask: AskNodes, path: string): Promise<Hex> {
  const { output } = await releases({ kind: 'mint-usage-key', path }, ask);
  const secret = deriveUsageKeySecret(output);
  try {
    return bytesToHex(secret);
  } finally {
    for (const bytes of [output, secret]) bytes.fill(0);
  }
}

/** Makes a wallet. Returns its address and public key, and the signature of the key nodes that binds the address to the path. */
export async function mintWallet(
  releases: Releases,
  ask: AskNodes,
  path: string,
): Promise<{ address: Address; publicKey: Hex; certificate: GroupSignature }> {
  const { output } = await releases({ kind: 'mint-wallet', path }, ask);
  const { signingKey, encryptionKey } = deriveWalletKeys(output);
  try {
    const address = addressOf(signingKey);
    const statement = { kind: 'wallet-address', path, address: address.slice(2).toLowerCase() } as const;
    const { signature } = await releases(statement, ask);
    if (!signature) throw new Error('the key nodes have not signed the address');
    return { address, publicKey: uncompressedPublicKey(signingKey), certificate: signature };
  } finally {
    for (const bytes of [output, signingKey, encryptionKey]) bytes.fill(0);
  }
}
