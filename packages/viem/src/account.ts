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
import { CODES, WalletRequestError } from './errors.ts';
import { runRequest, type WalletParameters } from './run-request.ts';

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
  /** Transactions of the account with one key, wallet and chain are one. */
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

/**
 * Returns a viem account whose signatures come from runs of an action with the wallet. Each signature is checked: it is that of the
 * wallet, of exactly what was asked. Its functions reject with a `WalletRequestError`.
 */
export function toLatchkeyAccount(parameters: WalletParameters): LatchkeyAccount {
  const address = getAddress(parameters.walletAddress);
  const run = (request: { kind: string; [field: string]: unknown }) => runRequest(parameters, request);

  async function requireSignature(signature: unknown, hash: Hex): Promise<Hex> {
    const signer = await recoverAddress({ hash, signature: signature as Hex }).catch(() => undefined);
    if (signer !== address)
      throw new WalletRequestError(
        CODES.failed,
        'The action did not return a signature of the request by the wallet.',
        {
          fix: 'Check that the wallet address and the action are the right ones.',
        },
      );
    return signature as Hex;
  }
  const sign = async ({ hash }: { hash: Hash }) =>
    requireSignature((await run({ kind: 'hash', hash })).signature, hash);

  async function signMessage({ message }: { message: SignableMessage }): Promise<Hex> {
    const sent =
      typeof message === 'string' || typeof message.raw === 'string' ? message : { raw: toHex(message.raw) };
    return requireSignature((await run({ kind: 'message', message: sent })).signature, hashMessage(message));
  }

  async function signTypedData(typedData: unknown): Promise<Hex> {
    const { domain = {}, types, primaryType, message } = typedData as TypedDataDefinition;
    // The type of the domain follows from its fields.
    const { EIP712Domain: _, ...others } = types as Record<string, unknown>;
    const request = { kind: 'typed_data', domain, types: others, primaryType, message };
    return requireSignature((await run(request)).signature, hashTypedData(typedData as TypedDataDefinition));
  }

  async function signTransaction(
    transaction: TransactionSerializable,
    { serializer = serializeTransaction }: { serializer?: typeof serializeTransaction | undefined } = {},
  ): Promise<Hex> {
    // The blobs of a transaction are not signed, only their hashes.
    const isBlob = getTransactionType(transaction) === 'eip4844';
    const unsigned = await serializer(
      isBlob ? ({ ...transaction, sidecars: false } as TransactionSerializable) : transaction,
    );
    const hash = keccak256(unsigned);
    const request = requestOfTransaction(transaction, unsigned);
    const signature = request
      ? await requireSignature(signatureOf((await run(request)).transaction), hash)
      : await sign({ hash });
    return serializer(transaction, parseSignature(signature));
  }

  async function signAuthorization(authorization: AuthorizationRequest) {
    const { chainId, nonce } = authorization;
    const contract = authorization.contractAddress ?? authorization.address;
    const hash = hashAuthorization({ address: contract, chainId, nonce });
    const signature = isExact(chainId)
      ? await requireSignature(
          (await run({ kind: 'authorization', chainId, contract, nonce })).signature,
          hash,
        )
      : await sign({ hash });
    const { r, s, v, yParity } = parseSignature(signature);
    return { address: contract, chainId, nonce, r, s, v: v ?? BigInt(yParity) + 27n, yParity };
  }

  async function sendTransaction(transaction: ServiceTransaction): Promise<Hash> {
    const { hash } = await run({ kind: 'send_transaction', transaction });
    if (typeof hash === 'string' && isHash(hash)) return hash;
    throw new WalletRequestError(CODES.failed, 'The action did not return the hash of the transaction.');
  }

  const account = toAccount({
    address,
    sign,
    signAuthorization,
    signMessage,
    signTransaction: signTransaction as LocalAccount['signTransaction'],
    signTypedData,
  });
  return { ...account, sign, signAuthorization, sendTransaction };
}
