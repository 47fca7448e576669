import {
  type Address,
  type AuthorizationRequest,
  getAddress,
  getTransactionType,
  type Hash,
  type Hex,
  hashMessage,
  hashTypedData,
  isHash,
  keccak256,
  type LocalAccount,
  parseSignature,
  parseTransaction,
  recoverAddress,
  type SignableMessage,
  type Signature,
  serializeSignature,
  serializeTransaction,
  type TransactionSerializable,
  type TransactionSerialized,
  type TypedDataDefinition,
  toHex,
} from 'viem';
import { toAccount } from 'viem/accounts';
import { hashAuthorization } from 'viem/utils';
import { CODES, sendError, WalletRequestError } from './errors.ts';
import { type Reply, runRequest, type WalletParameters } from './run-request.ts';

/** A transaction that the service sends: it assigns the nonce and the fees. */
export interface ServiceTransaction {
  /** A chain of the service. */
  chainId: number;
  /** Null creates a contract with the code in `data`. */
  to: Address | null;
  /** In wei. */
  value?: bigint | undefined;
  data?: Hex | undefined;
  /** Default: the estimate, with headroom. */
  gas?: bigint | undefined;
  /** In wei; the highest that the wallet pays, also when the fee is raised. */
  maxFeePerGas?: bigint | undefined;
  /** Transactions of the account with one key, wallet and chain are one. Default: a random one, which an error with an unknown outcome names. */
  idempotencyKey?: string | undefined;
}

/** A wallet as a viem account. */
export type LatchkeyAccount = LocalAccount & {
  sign: NonNullable<LocalAccount['sign']>;
  signAuthorization: NonNullable<LocalAccount['signAuthorization']>;
  /** Sends by the service instead of by a node of yours. Resolves to the hash when it is broadcast; a raise of the fee changes it. */
  sendTransaction: (transaction: ServiceTransaction) => Promise<Hash>;
};

/** Types of transactions that actions sign by their fields. Others are signed by their hash. */
const FIELDS = {
  legacy: ['gasPrice'],
  eip2930: ['gasPrice', 'accessList'],
  eip1559: ['maxFeePerGas', 'maxPriorityFeePerGas', 'accessList'],
} as const;

const isExact = (chainId: number | bigint | undefined): boolean =>
  chainId !== undefined && BigInt(chainId) <= BigInt(Number.MAX_SAFE_INTEGER);

/** Returns the request that signs a transaction by its fields, or undefined when only its hash can be signed. */
function requestOfTransaction(transaction: TransactionSerializable, unsigned: Hex) {
  const type = getTransactionType(transaction);
  const { chainId, to, value, data, nonce, gas } = transaction;
  if (!Object.hasOwn(FIELDS, type) || !chainId || !isExact(chainId)) return undefined;
  // A serializer of a chain can add fields that the action does not have.
  if (serializeTransaction(transaction) !== unsigned) return undefined;
  const typed: { [name: string]: unknown } = { ...transaction };
  const fields = FIELDS[type as keyof typeof FIELDS].map((name) => [name, typed[name]]);
  return {
    kind: 'sign_transaction',
    transaction: { type, chainId, to: to ?? null, value, data, nonce, gas, ...Object.fromEntries(fields) },
  };
}

/** Returns the signature in a signed transaction. */
function signatureOf(serialized: unknown): unknown {
  try {
    const { r, s, yParity } = parseTransaction(serialized as TransactionSerialized) as Signature & {
      yParity: number;
    };
    return serializeSignature({ r, s, yParity });
  } catch {
    return undefined;
  }
}

type Request = { kind: string; [field: string]: unknown };
type Wallet = {
  run: (request: Request) => ReturnType<typeof runRequest>;
  /** Resolves to the signature of a hash by the wallet, which the reply to the request has. */
  sign: (hash: Hex, request: Request, read?: (reply: Reply) => unknown) => Promise<Hex>;
};

function openWallet(parameters: WalletParameters, address: Address): Wallet {
  const run = (request: Request) => runRequest(parameters, request);
  return {
    run,
    async sign(hash, request, read = ({ signature }) => signature) {
      const signature = read(await run(request)) as Hex;
      const signer = await recoverAddress({ hash, signature }).catch(() => undefined);
      if (signer === address) return signature;
      throw new WalletRequestError(
        CODES.failed,
        'The action did not return a signature of the request by the wallet.',
        { fix: 'Check that the wallet address and the action are the right ones.' },
      );
    },
  };
}

const signHash = (wallet: Wallet, hash: Hex): Promise<Hex> => wallet.sign(hash, { kind: 'hash', hash });

function signMessage(wallet: Wallet, message: SignableMessage): Promise<Hex> {
  const isText = typeof message === 'string' || typeof message.raw === 'string';
  const sent = isText ? message : { raw: toHex(message.raw) };
  return wallet.sign(hashMessage(message), { kind: 'message', message: sent });
}

function signTypedData(wallet: Wallet, typedData: TypedDataDefinition): Promise<Hex> {
  const { domain = {}, types, primaryType, message } = typedData;
  // The type of the domain follows from its fields.
  const { EIP712Domain: _, ...others } = types as Record<string, unknown>;
  const request = { kind: 'typed_data', domain, types: others, primaryType, message };
  return wallet.sign(hashTypedData(typedData), request);
}

async function signTransaction(
  wallet: Wallet,
  transaction: TransactionSerializable,
  serializer: typeof serializeTransaction,
): Promise<Hex> {
  // The blobs of a transaction are not signed, only their hashes.
  const isBlob = getTransactionType(transaction) === 'eip4844';
  const unsigned = await serializer(
    isBlob ? ({ ...transaction, sidecars: false } as TransactionSerializable) : transaction,
  );
  const hash = keccak256(unsigned);
  const request = requestOfTransaction(transaction, unsigned);
  const signature = request
    ? await wallet.sign(hash, request, (reply) => signatureOf(reply.transaction))
    : await signHash(wallet, hash);
  return serializer(transaction, parseSignature(signature));
}

async function signAuthorization(wallet: Wallet, authorization: AuthorizationRequest) {
  const { chainId, nonce } = authorization;
  const contract = authorization.contractAddress ?? authorization.address;
  const hash = hashAuthorization({ address: contract, chainId, nonce });
  const signature = isExact(chainId)
    ? await wallet.sign(hash, { kind: 'authorization', chainId, contract, nonce })
    : await signHash(wallet, hash);
  const { r, s, v, yParity } = parseSignature(signature);
  return { address: contract, chainId, nonce, r, s, v: v ?? BigInt(yParity) + 27n, yParity };
}

async function sendTransaction(wallet: Wallet, transaction: ServiceTransaction): Promise<Hash> {
  const { idempotencyKey = toHex(crypto.getRandomValues(new Uint8Array(16))) } = transaction;
  try {
    const sent = { ...transaction, idempotencyKey };
    const { hash } = await wallet.run({ kind: 'send_transaction', transaction: sent });
    if (typeof hash === 'string' && isHash(hash)) return hash;
    throw new WalletRequestError(CODES.failed, 'The action did not return the hash of the transaction.');
  } catch (error) {
    throw sendError(error, idempotencyKey);
  }
}

/**
 * Returns a viem account whose signatures come from runs of an action with the wallet. Each signature is checked: it is that of the
 * wallet, of exactly what was asked. Its functions reject with a `WalletRequestError`.
 */
export function toLatchkeyAccount(parameters: WalletParameters): LatchkeyAccount {
  const address = getAddress(parameters.walletAddress);
  const wallet = openWallet(parameters, address);
  const sign: LatchkeyAccount['sign'] = ({ hash }) => signHash(wallet, hash);
  const authorize: LatchkeyAccount['signAuthorization'] = (authorization) =>
    signAuthorization(wallet, authorization);
  const account = toAccount({
    address,
    sign,
    signMessage: ({ message }) => signMessage(wallet, message),
    signTypedData: (typedData) => signTypedData(wallet, typedData as TypedDataDefinition),
    signTransaction: (transaction, { serializer = serializeTransaction } = {}) =>
      signTransaction(wallet, transaction, serializer as typeof serializeTransaction),
  });
  return {
    ...account,
    sign,
    signAuthorization: authorize,
    sendTransaction: (transaction) => sendTransaction(wallet, transaction),
  };
}
