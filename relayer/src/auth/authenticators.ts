import {
  type Authenticator,
  countMisses,
  forbidden,
  requestKeyHash,
  requireApiKey,
  unauthorized,
} from '@latchkey/http';
import { isApiKeyText, parseStrictJson, walletIdentity } from '@latchkey/protocol';
import type { Address } from 'viem';
import { z } from 'zod';
import type { AccountConfig } from '../chain/account-config.ts';
import { accountNotAccepted } from './acceptance.ts';
import { createConsentSigner, type SignConsent } from './consent.ts';
import { findKey, findRecentKey, type KeyLookup } from './find-key.ts';
import { expiredKey, unknownKey } from './key-refusals.ts';
import type { KnownKey, RecentKey } from './key-registry.ts';
import { operator } from './operator.ts';
import { type VerifyWallet, type WalletProof, WalletProofError } from './wallet-proof.ts';

/** The caller of a request, identified by a key or a wallet proof. */
export type Caller = {
  /** `apiKeyHash` of the key, or the wallet's identity. The contract is called with it. */
  hash: bigint;
  /** Master hash of the account. */
  account: bigint;
  /**
   * The reply must reflect this block: the later of `X-Min-Block` and the account's last write through this relayer.
   */
  minBlock: bigint;
  /** Unix seconds at which the key expires; 0 for no expiry. */
  expiration: bigint;
};

/** The caller of a run. Its `minBlock` does not cover the last write: `key.block` is the state that was read. */
export type RunCaller = Caller & { key: RecentKey };

/** The caller of a list. */
export type Reader = Caller & {
  isUsageKey: boolean;
  /** Admin wallet of the account when the key or proof was checked. */
  adminWallet: Address;
  /** Block of the account's last write through this relayer. */
  accountHead: bigint;
};

/** The caller of a write that needs the consent of the account key. */
export type ConsentingCaller = Caller & { signConsent: SignConsent };

/** The hash of a key, known or unknown. */
export type KeyHolder = Pick<Caller, 'hash' | 'minBlock'>;

type WalletContext = KeyLookup & { verifyWallet: VerifyWallet };
type Request = Parameters<Authenticator<KeyLookup, Caller>['authenticate']>[1];

const keySchemes = {
  ApiKeyBearer: { type: 'http', scheme: 'bearer', description: 'Account key or usage key.' },
  ApiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Account key or usage key.' },
} as const;
const walletSchemes = {
  WalletAuth: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Wallet-Auth',
    description:
      'Base64 of the JSON `{typed_data, signature}`: a BillingAuth envelope signed by the admin wallet of a ChainSecured account.',
  },
} as const;

export const callerId = ({ hash }: KeyHolder): string => hash.toString(16);

function readMinBlock({ headers }: Request): bigint {
  const header = headers['x-min-block'];
  // The pipeline refuses malformed headers.
  return typeof header === 'string' && /^\d{1,19}$/.test(header) ? BigInt(header) : 0n;
}

function readKeyHolder(request: Request): KeyHolder {
  const text = requireApiKey(request.headers);
  if (!isApiKeyText(text))
    throw unauthorized('Malformed API key.', { fix: 'Send a key of 1 to 512 visible ASCII characters.' });
  return { hash: requestKeyHash(request.headers, text), minBlock: readMinBlock(request) };
}

const errors = ['too_many_requests', 'service_unavailable'] as const;

/** Throws for a key that is unknown or expired. */
export function requireValidKey<Key extends KnownKey>(key: Key | undefined): Key {
  if (!key) throw unknownKey();
  if (key.expiration !== 0n && key.expiration <= BigInt(Math.floor(Date.now() / 1000))) throw expiredKey();
  return key;
}

function byKey(refuse?: (key: KnownKey) => Error | undefined) {
  const authenticate = async (context: KeyLookup, request: Request): Promise<Reader> => {
    const { hash, minBlock } = readKeyHolder(request);
    const found = await findKey(context, { hash, minBlock, ip: request.ip });
    if (found) request.identify(found.account, hash);
    const key = requireValidKey(found);
    const refusal = refuse?.(key);
    if (refusal) throw refusal;
    const { account, accountHead, adminWallet, expiration, isUsageKey } = key;
    return { hash, account, accountHead, adminWallet, minBlock: key.minBlock, expiration, isUsageKey };
  };
  return {
    schemes: keySchemes,
    errors: refuse ? ([...errors, 'forbidden'] as const) : errors,
    authenticate,
    callerId,
  } satisfies Authenticator<KeyLookup, Reader>;
}

const headerProof = z.strictObject({
  typed_data: z.union([z.string(), z.record(z.string(), z.unknown())]),
  signature: z.string(),
});

/** Returns the proof in `X-Wallet-Auth`; undefined when it is absent or malformed. */
function readWalletProof({ headers }: Request): WalletProof | undefined {
  const header = headers['x-wallet-auth'];
  if (
    typeof header !== 'string' ||
    !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(header)
  )
    return undefined;
  try {
    return headerProof.safeParse(parseStrictJson(Buffer.from(header, 'base64').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

/**
 * Authenticates the admin wallet of a ChainSecured account by its proof. Falls back to the key when there is no proof.
 */
function byWalletOr(keyAuthenticator: ReturnType<typeof byKey>) {
  const authenticate = async (context: WalletContext, request: Request): Promise<Reader> => {
    const proof = readWalletProof(request);
    if (!proof) return keyAuthenticator.authenticate(context, request);
    let refusal = unauthorized('The proof in X-Wallet-Auth is invalid.', {
      fix: 'Sign a new BillingAuth envelope for this chain with the current time.',
    });
    // An invalid proof can cost a call of a contract wallet.
    const caller = await countMisses(context.unknownKeyLimit, request.ip, async () => {
      const wallet = await context.verifyWallet(proof, 'BillingAuth').catch((thrown: unknown) => {
        if (thrown instanceof WalletProofError) return undefined;
        throw thrown;
      });
      if (wallet === undefined) return undefined;
      refusal = unauthorized('This wallet has no account.', {
        fix: 'Open one with newChainSecuredAccount of the contract, or with newAccount of the SDK.',
      });
      const hash = walletIdentity(wallet);
      const found = await context.keyRegistry.find(hash, readMinBlock(request));
      const unaccepted = await context.keyRegistry.findUnaccepted(
        hash,
        found?.minBlock ?? readMinBlock(request),
      );
      if (unaccepted !== undefined) {
        refusal = accountNotAccepted(unaccepted);
        return undefined;
      }
      // The identity of a former admin wallet still resolves to the account.
      if (!found || found.isUsageKey || found.adminWallet !== wallet) return undefined;
      const { account, accountHead, minBlock } = found;
      request.identify(account, hash);
      return { hash, account, accountHead, adminWallet: wallet, minBlock, expiration: 0n, isUsageKey: false };
    });
    if (!caller) throw refusal;
    return caller;
  };
  const schemes = { ...keySchemes, ...walletSchemes };
  return {
    schemes,
    errors: [...errors, 'forbidden'] as const,
    authenticate,
    callerId,
  } satisfies Authenticator<WalletContext, Reader>;
}

/** Any key that the chain knows. */
const key = byKey();
const refuseUsageKey = ({ isUsageKey }: KnownKey) =>
  isUsageKey
    ? forbidden('Usage keys cannot call this endpoint.', { fix: 'Use the account key.' })
    : undefined;
/** Its holder cannot be told from a former owner of the account, and no owner can replace it. */
const refuseFormerAccountKey = ({ isUsageKey, managed }: KnownKey) =>
  isUsageKey || managed
    ? undefined
    : forbidden('The account is ChainSecured: its former account key reads lists and the balance only.', {
        fix: 'Send X-Wallet-Auth, signed by the admin wallet.',
      });
const refuseUnaccepted = ({ isAccepted, account }: KnownKey) =>
  isAccepted ? undefined : accountNotAccepted(account);
/** Account keys, for routes that manage usage keys. */
const accountKey = byKey(refuseUsageKey);
/** Account keys whose holder consents to the write with each request. */
const consentingKey = {
  ...accountKey,
  authenticate: async (
    context: KeyLookup & { accountConfig: Pick<AccountConfig, 'chainId' | 'address'> },
    request: Request,
  ): Promise<ConsentingCaller> => {
    const caller = await accountKey.authenticate(context, request);
    const signConsent = createConsentSigner(context.accountConfig, requireApiKey(request.headers));
    return { ...caller, signConsent };
  },
};

export const accountKeyCannotRun = () =>
  forbidden('Account keys cannot run actions.', { fix: 'Create a usage key with add_usage_api_key.' });

/**
 * Authenticators by their name on the wire. An authenticator checks the kind of credential only: the contract decides what the caller
 * may do with the account. The account key of a converted account changes nothing outside of the contract either.
 */
export const authenticators = {
  key,
  accountKey,
  consentingKey,
  /** Keys that mint. The mint comes before the contract decides, so an account that was not accepted is refused here. */
  mintingKey: byKey(refuseUnaccepted),
  /** Reads of what a conversion keeps, also by the account key of a converted account. */
  anyKeyOrWallet: byWalletOr(key),
  anyAccountKeyOrWallet: byWalletOr(accountKey),
  keyOrWallet: byWalletOr(byKey(refuseFormerAccountKey)),
  accountKeyOrWallet: byWalletOr(byKey((key) => refuseUsageKey(key) ?? refuseFormerAccountKey(key))),
  /** Runs: usage keys only. A run asks for the last write when it begins. */
  runKey: {
    schemes: keySchemes,
    errors: [...errors, 'forbidden'] as const,
    authenticate: async (context, request) => {
      const { hash, minBlock } = readKeyHolder(request);
      const found = await findRecentKey(context, { hash, minBlock, ip: request.ip });
      if (found) request.identify(found.account, hash);
      const key = requireValidKey(found);
      if (!key.isUsageKey) throw accountKeyCannotRun();
      const { account, expiration } = key;
      return { hash, account, minBlock, expiration, key };
    },
    callerId,
  } satisfies Authenticator<KeyLookup, RunCaller>,
  /** Any well-formed key, known or unknown. */
  anyKeyText: {
    schemes: keySchemes,
    errors,
    authenticate: async (_context, request) => readKeyHolder(request),
    callerId,
  } satisfies Authenticator<unknown, KeyHolder>,
  operator,
};
