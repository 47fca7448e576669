import { type Authenticator, forbidden, requireApiKey, unauthorized } from '@latchkey/http';
import { apiKeyHash, isApiKey } from '@latchkey/protocol';
import type { KeyRegistry } from './key-registry.ts';

/** Who sent a request, by the key that came with it. */
export type Caller = {
  /** `apiKeyHash` of the key: what the contract is called with. */
  hash: bigint;
  /** Master hash of the key's account. */
  account: bigint;
  /** The reply has to see this block: `X-Min-Block`, and the account's last write through this service. */
  minBlock: bigint;
};

/** The hash of a key that may name nothing. */
export type KeyHolder = Pick<Caller, 'hash' | 'minBlock'>;

type Context = { keyRegistry: Pick<KeyRegistry, 'find'> };
type Request = Parameters<Authenticator<Context, Caller>['authenticate']>[1];

const schemes = {
  ApiKeyBearer: { type: 'http', scheme: 'bearer', description: 'An account key or usage key.' },
  ApiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'The same key.' },
} as const;

function keyHolderOf({ headers }: Request): KeyHolder {
  const text = requireApiKey(headers);
  if (!isApiKey(text))
    throw unauthorized('This is no key.', { fix: 'A key is the base64 text of 32 bytes, 44 characters.' });
  const header = headers['x-min-block'];
  // A malformed header is refused by the pipeline.
  const minBlock = typeof header === 'string' && /^\d{1,19}$/.test(header) ? BigInt(header) : 0n;
  return { hash: apiKeyHash(text), minBlock };
}

function authenticator(refuse: (isUsageKey: boolean) => Error | undefined): Authenticator<Context, Caller> {
  return {
    schemes,
    async authenticate({ keyRegistry }, request) {
      const { hash, minBlock } = keyHolderOf(request);
      const key = await keyRegistry.find(hash, minBlock);
      if (!key) throw unauthorized('This key is unknown.');
      if (key.expiration !== 0n && key.expiration <= BigInt(Math.floor(Date.now() / 1000)))
        throw unauthorized('This usage key has expired.');
      const refusal = refuse(key.isUsageKey);
      if (refusal) throw refusal;
      return { hash, account: key.account, minBlock: key.minBlock };
    },
    callerId: ({ hash }) => hash.toString(16),
  };
}

/** What a key may do with an account the contract decides; here only the kind of key counts, as the wire names it. */
export const authenticators = {
  /** Any key that the chain knows. */
  key: authenticator(() => undefined),
  /** The management of usage keys. */
  accountKey: authenticator((isUsageKey) =>
    isUsageKey ? forbidden('A usage key may not do this.', { fix: 'Use the account key.' }) : undefined,
  ),
  /** Runs: the account key administers and never runs an action. */
  usageKey: authenticator((isUsageKey) =>
    isUsageKey
      ? undefined
      : forbidden('An account key may not run actions.', { fix: 'Make a usage key with add_usage_api_key.' }),
  ),
  /** Anything that has the form of a key, known or not. */
  anyKeyText: {
    schemes,
    authenticate: async (_context, request) => keyHolderOf(request),
    callerId: ({ hash }) => hash.toString(16),
  } satisfies Authenticator<unknown, KeyHolder>,
};
