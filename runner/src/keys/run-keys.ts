/**
 * The key functions of one run, with keys from key nodes. No key outlives the call that asked for it, except one that is asked for
 * ahead: it waits a second for the call.
 */
import type { KeyPurpose } from '@latchkey/key-protocol';
import { ActionError } from '@latchkey/runner-protocol';
import type { RunKeys } from '@latchkey/runner-protocol/key-operation';
import { decryptText, encryptText } from '@latchkey/runner-protocol/message-cipher';
import { addressOf, addressOfPublicKey, compressedPublicKey } from '@latchkey/service/secp256k1';
import {
  deriveActionKey,
  deriveUsageKeySecret,
  deriveWalletKeys,
  type WalletKeys,
} from '@latchkey/threshold';
import type { GroupSignature } from '@latchkey/threshold/group-signature';
import { type Address, bytesToHex, type Hex, isAddressEqual } from 'viem';
import { type AskNodes, KeyNotReleasedError, type Released, type Releases } from './releases.ts';

/** About a block: a permission that was removed counts for no longer. */
const AHEAD_LIFETIME_MS = 1_000;

export type RunKeysOptions = {
  releases: Releases;
  ask: AskNodes;
  /** 0x and hex digits. */
  usageKeyHash: string;
  cid: string;
  /** Public id of the run. */
  runId?: string | undefined;
  /** SPEC-GAP (D-438): resolves to the compressed public key of another action, once that has run. */
  publicKeyOf: (cid: string) => Promise<Hex>;
};

export type EndingRunKeys = RunKeys & {
  /** Asks for the key of a wallet now, because the run probably needs it. The key of one wallet waits at a time. */
  askAhead: (wallet: Address) => void;
  /** Wipes a key that was asked for ahead. */
  dropAhead: () => void;
  /** Wipes a key that was asked for ahead. Returns the wallet that the run asked for first. */
  end: () => Address | undefined;
};

export function createRunKeys({
  releases,
  ask,
  usageKeyHash,
  cid,
  runId,
  publicKeyOf,
}: RunKeysOptions): EndingRunKeys {
  const run = { usageKeyHash, cid };
  const release = (
    purpose: KeyPurpose,
    nodes: AskNodes,
    { errorName, subject }: { errorName: string; subject: string },
    isRight?: (released: Released) => boolean,
  ): Promise<Released> =>
    releases(purpose, nodes, isRight, runId).catch((error: unknown) => {
      if (error instanceof KeyNotReleasedError && error.isRefused)
        throw new ActionError(errorName, `${subject}: ${error.message}`);
      throw error;
    });

  const releaseWallet: ReleaseWallet = async (pkpId, nodes) => {
    const named = {
      errorName: 'WalletNotPermittedError',
      subject: `the wallet ${pkpId} in the action ${cid}`,
    };
    let recognised: Released | undefined;
    const isOfWallet = (candidate: Released): boolean => {
      const { signingKey, encryptionKey } = deriveWalletKeys(candidate.output);
      const isRight = isAddressEqual(addressOf(signingKey), pkpId);
      if (isRight) recognised = candidate;
      for (const secret of [signingKey, encryptionKey]) secret.fill(0);
      return isRight;
    };
    const wallet = pkpId.toLowerCase();
    const released = await release({ kind: 'wallet', ...run, wallet }, nodes, named, isOfWallet);
    return { released, isOfWallet: released === recognised || isOfWallet(released) };
  };

  let ahead: ReturnType<typeof requestAhead> | undefined;
  let first: Address | undefined;
  const dropAhead = (): void => {
    ahead?.drop();
    ahead = undefined;
  };
  const takeAhead = (wallet: Address): Promise<ReleasedWallet | undefined> | undefined => {
    if (!ahead || ahead.wallet !== wallet) return;
    const { take } = ahead;
    ahead = undefined;
    return take();
  };

  const withWallet = async <T>(pkpId: Address, use: (keys: WalletKeys) => T): Promise<T> => {
    first ??= pkpId;
    const { released, isOfWallet } = (await takeAhead(pkpId)) ?? (await releaseWallet(pkpId, ask));
    const { output } = released;
    const keys = deriveWalletKeys(output);
    try {
      // Any account can register another's address with its own path: only the key shows whose address it is.
      if (!isOfWallet) {
        const message = `the wallet ${pkpId} does not match the key at its derivation path`;
        throw new ActionError('WalletMismatchError', message);
      }
      return use(keys);
    } finally {
      for (const secret of [output, keys.signingKey, keys.encryptionKey]) secret.fill(0);
    }
  };
  const withAction = async <T>(use: (key: Uint8Array) => T): Promise<T> => {
    const named = { errorName: 'PermissionError', subject: `the action ${cid}` };
    const { output } = await release({ kind: 'action', ...run }, ask, named);
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
    getPrivateKey: ({ pkpId }) => withWallet(pkpId, ({ signingKey }) => bytesToHex(signingKey)),
    Encrypt: ({ pkpId, message }) =>
      withWallet(pkpId, ({ encryptionKey }) => encryptText(encryptionKey, message)),
    Decrypt: ({ pkpId, ciphertext }) =>
      withWallet(pkpId, ({ encryptionKey }) => decryptText(encryptionKey, ciphertext)),
    getActionPrivateKey: () => withAction((key) => bytesToHex(key)),
    getActionPublicKey,
    getActionWalletAddress: async (request) => addressOfPublicKey(await getActionPublicKey(request)),
    askAhead(wallet) {
      if (ahead?.wallet === wallet && !ahead.isDropped()) return;
      dropAhead();
      ahead = requestAhead(wallet, releaseWallet, ask);
    },
    dropAhead,
    end() {
      dropAhead();
      return first;
    },
  };
}

type ReleasedWallet = { released: Released; isOfWallet: boolean };
type ReleaseWallet = (pkpId: Address, nodes: AskNodes) => Promise<ReleasedWallet>;

/** Asks for the key of a wallet before the action does. When it does not come, the action asks anew. */
function requestAhead(wallet: Address, releaseWallet: ReleaseWallet, ask: AskNodes) {
  // A failure is an outage only when the action waits for the key.
  const isAwaited = Promise.withResolvers<boolean>();
  const nodes: AskNodes = (...request) => {
    const done = ask(...request);
    return (isMissing) => (isMissing ? void isAwaited.promise.then(done) : done(false));
  };
  const releasing = releaseWallet(wallet, nodes);
  let isDropped = false;
  const drop = (): void => {
    isDropped = true;
    isAwaited.resolve(false);
    clearTimeout(overdue);
    void releasing.then(
      ({ released }) => released.output.fill(0),
      () => {},
    );
  };
  releasing.catch(drop);
  const overdue = setTimeout(drop, AHEAD_LIFETIME_MS);
  return {
    wallet,
    drop,
    isDropped: () => isDropped,
    /**
     * Resolves to undefined when the nodes refused the key or did not answer before, or the key came too long ago. Rejects when
     * they do not answer meanwhile: asked anew, they would take the same time again.
     */
    async take(): Promise<ReleasedWallet | undefined> {
      if (isDropped) return undefined;
      isAwaited.resolve(true);
      clearTimeout(overdue);
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

/** Makes a wallet. Returns its address, and the signature of the key nodes that the wallet at the path has it. */
export async function mintWallet(
  releases: Releases,
  ask: AskNodes,
  path: string,
): Promise<{ address: Address; certificate: GroupSignature }> {
  const { output } = await releases({ kind: 'mint-wallet', path }, ask);
  const { signingKey, encryptionKey } = deriveWalletKeys(output);
  try {
    const address = addressOf(signingKey);
    const statement = { kind: 'wallet-address', path, address: address.slice(2).toLowerCase() } as const;
    const { signature } = await releases(statement, ask);
    if (!signature) throw new Error('the key nodes have not signed the address');
    return { address, certificate: signature };
  } finally {
    for (const bytes of [output, signingKey, encryptionKey]) bytes.fill(0);
  }
}
