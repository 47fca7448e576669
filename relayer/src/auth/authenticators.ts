import { type Authenticator, forbidden, requireApiKey, unauthorized } from '@latchkey/http';
import { apiKeyHash, isApiKeyText, parseStrictJson, walletIdentity } from '@latchkey/protocol';
import { z } from 'zod';
import { countMisses, findKey, type KeyLookup } from './find-key.ts';
import { type VerifyWallet, type WalletProof, WalletProofError } from './wallet-proof.ts';

/** Who sent a request, by the key or the wallet's proof that came with it. */
export type Caller = {
  /** `apiKeyHash` of the key, or the wallet's identity: what the contract is called with. */
  hash: bigint;
  /** Master hash of the account. */
  account: bigint;
  /** The reply has to see this block: `X-Min-Block`, and the account's last write through this relayer. */
  minBlock: bigint;
  /** Unix seconds at which the key expires, 0 for never. */
  expiration: bigint;
};

/** The hash of a key that may name nothing. */
export type KeyHolder = Pick<Caller, 'hash' | 'minBlock'>;

type WalletContext = KeyLookup & { verifyWallet: VerifyWallet };
type Request = Parameters<Authenticator<KeyLookup, Caller>['authenticate']>[1];

const keySchemes = {
  ApiKeyBearer: { type: 'http', scheme: 'bearer', description: 'An account key or usage key.' },
  ApiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'The same key.' },
} as const;
const walletSchemes = {
  WalletAuth: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Wallet-Auth',
    description:
      'Base64 of the JSON `{typed_data, signature}`: the envelope BillingAuth, signed by the admin wallet of a ChainSecured account.',
  },
} as const;

const callerId = ({ hash }: KeyHolder): string => hash.toString(16);

function minBlockOf({ headers }: Request): bigint {
  const header = headers['x-min-block'];
  // A malformed header is refused by the pipeline.
  return typeof header === 'string' && /^\d{1,19}$/.test(header) ? BigInt(header) : 0n;
}

function keyHolderOf(request: Request): KeyHolder {
  const text = requireApiKey(request.headers);
  if (!isApiKeyText(text))
    throw unauthorized('Malformed API key.', { fix: 'A key has 1 to 512 visible ASCII characters.' });
  return { hash: apiKeyHash(text), minBlock: minBlockOf(request) };
}

const errors = ['too_many_requests', 'service_unavailable'] as const;

function byKey(refuse?: (isUsageKey: boolean) => Error | undefined) {
  const authenticate = async (context: KeyLookup, request: Request): Promise<Caller> => {
    const { hash, minBlock } = keyHolderOf(request);
    const key = await findKey(context, { hash, minBlock, ip: request.ip });
    if (!key) throw unauthorized('This key is unknown.');
    if (key.expiration !== 0n && key.expiration <= BigInt(Math.floor(Date.now() / 1000)))
      throw unauthorized('This usage key has expired.');
    const refusal = refuse?.(key.isUsageKey);
    if (refusal) throw refusal;
    return { hash, account: key.account, minBlock: key.minBlock, expiration: key.expiration };
  };
  return {
    schemes: keySchemes,
    errors: refuse ? ([...errors, 'forbidden'] as const) : errors,
    authenticate,
    callerId,
  } satisfies Authenticator<KeyLookup, Caller>;
}

const headerProof = z.strictObject({
  typed_data: z.union([z.string(), z.record(z.string(), z.unknown())]),
  signature: z.string(),
});

/** The proof in `X-Wallet-Auth`; undefined without one and for what has not its form. */
function walletProofOf({ headers }: Request): WalletProof | undefined {
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

/** The admin wallet of a ChainSecured account by its proof; a request without one is judged by its key. */
function byWalletOr(keyAuthenticator: ReturnType<typeof byKey>) {
  const authenticate = async (context: WalletContext, request: Request): Promise<Caller> => {
    const proof = walletProofOf(request);
    if (!proof) return keyAuthenticator.authenticate(context, request);
    let refusal = unauthorized('The proof in X-Wallet-Auth is not valid.', {
      fix: 'Sign the envelope BillingAuth anew, for this chain and with the time of now.',
    });
    // A proof that is not valid may cost a call of a contract wallet.
    const caller = await countMisses(context.unknownKeyLimit, request.ip, async () => {
      const wallet = await context.verifyWallet(proof, 'BillingAuth').catch((thrown: unknown) => {
        if (thrown instanceof WalletProofError) return undefined;
        throw thrown;
      });
      if (wallet === undefined) return undefined;
      refusal = unauthorized('This wallet owns no account.');
      const hash = walletIdentity(wallet);
      const found = await context.keyRegistry.find(hash, minBlockOf(request));
      // The identity of a former admin wallet still names the account.
      if (!found || found.isUsageKey || found.adminWallet !== wallet) return undefined;
      return { hash, account: found.account, minBlock: found.minBlock, expiration: 0n };
    });
    if (!caller) throw refusal;
    return caller;
  };
  const schemes = { ...keySchemes, ...walletSchemes };
  return { ...keyAuthenticator, schemes, authenticate, callerId } satisfies Authenticator<
    WalletContext,
    Caller
  >;
}

/** Any key that the chain knows. */
const key = byKey();
/** The management of usage keys. */
const accountKey = byKey((isUsageKey) =>
  isUsageKey ? forbidden('A usage key may not do this.', { fix: 'Use the account key.' }) : undefined,
);

/** What a caller may do with an account the contract decides; here only the kind of credential counts, as the wire names it. */
export const authenticators = {
  key,
  accountKey,
  /** Reads, for the admin wallet too. */
  keyOrWallet: byWalletOr(key),
  accountKeyOrWallet: byWalletOr(accountKey),
  /** Runs: the account key administers and never runs an action. */
  usageKey: byKey((isUsageKey) =>
    isUsageKey
      ? undefined
      : forbidden('An account key may not run actions.', { fix: 'Make a usage key with add_usage_api_key.' }),
  ),
  /** Anything that has the form of a key, known or not. */
  anyKeyText: {
    schemes: keySchemes,
    errors,
    authenticate: async (_context, request) => keyHolderOf(request),
    callerId,
  } satisfies Authenticator<unknown, KeyHolder>,
};
