/** Requests for signatures and transactions. They come from the caller of an action, who can be hostile. */
import { type TransactionType, transactionTypes } from './policy.ts';
import { readTypedData, type TypedData } from './typed-data.ts';
import {
  bytesOf,
  hexOf,
  isRecord,
  RequestError,
  readAddress,
  readBytes,
  readIndex,
  readObject,
  readQuantity,
  readText,
  textOf,
} from './values.ts';

export type MessageRequest = { kind: 'message'; wallet: string; bytes: string; text: string | undefined };
export type TypedDataRequest = { kind: 'typed_data'; wallet: string } & TypedData;
type AccessList = { address: string; storageKeys: string[] }[];
export type TransactionRequest = {
  kind: 'sign_transaction' | 'send_transaction';
  wallet: string;
  type: TransactionType;
  chainId: number;
  /** Null creates a contract. */
  to: string | null;
  value: bigint;
  data: string;
  /** Absent where the service chooses it. */
  nonce?: number;
  gas?: bigint;
  /** For a legacy transaction its price, also as priority fee. */
  maxFeePerGas?: bigint;
  maxPriorityFeePerGas?: bigint;
  accessList: AccessList;
  idempotencyKey?: string;
};
export type AuthorizationRequest = {
  kind: 'authorization';
  wallet: string;
  chainId: number;
  contract: string;
  nonce: number;
};
export type HashRequest = { kind: 'hash'; wallet: string; hash: string };
export type Request =
  | MessageRequest
  | TypedDataRequest
  | TransactionRequest
  | AuthorizationRequest
  | HashRequest;

const FIELDS = {
  message: ['message'],
  typed_data: ['domain', 'types', 'primaryType', 'message'],
  sign_transaction: ['transaction'],
  send_transaction: ['transaction'],
  authorization: ['chainId', 'contract', 'nonce'],
  hash: ['hash'],
} as const;
const requestKinds = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

const encoder = new TextEncoder();

/**
 * Returns a request with each value in one form, which is what is compared with the rules and what is signed. Throws `RequestError`
 * that names the wrong field.
 */
export function readRequest(value: unknown): Request {
  if (!isRecord(value)) throw new RequestError('the request is not an object');
  const kind = requestKinds.find((known) => known === value.kind);
  if (kind === undefined) throw new RequestError(`kind must be one of ${requestKinds.join(', ')}`);
  const request = readObject(value, 'the request', ['kind', 'pkpId', ...FIELDS[kind]]);
  const wallet = readAddress(request.pkpId, 'pkpId');
  switch (kind) {
    case 'message':
      return { kind, wallet, ...readMessage(request.message) };
    case 'typed_data':
      return { kind, wallet, ...readTypedData(request) };
    case 'sign_transaction':
      return { kind, wallet, ...readSigned(request.transaction) };
    case 'send_transaction':
      return { kind, wallet, ...readSent(request.transaction) };
    case 'authorization':
      return {
        kind,
        wallet,
        chainId: readIndex(request.chainId, 'chainId'),
        contract: readAddress(request.contract, 'contract'),
        nonce: readIndex(request.nonce, 'nonce'),
      };
    case 'hash':
      return { kind, wallet, hash: readBytes(request.hash, 'hash', 32) };
  }
}

/** Text and the bytes of the same text are one message. */
function readMessage(message: unknown): { bytes: string; text: string | undefined } {
  const bytes = isRecord(message)
    ? readBytes(readObject(message, 'message', ['raw']).raw, 'message.raw')
    : hexOf(encoder.encode(readText(message, 'message')));
  return { bytes, text: textOf(bytesOf(bytes)) };
}

type Fields = Record<string, unknown>;

function readCall(transaction: Fields) {
  const { to, value, data, chainId } = transaction;
  const chain = readIndex(chainId, 'transaction.chainId');
  if (chain === 0) throw new RequestError('transaction.chainId is 0');
  return {
    chainId: chain,
    to: to === undefined || to === null ? null : readAddress(to, 'transaction.to'),
    value: value === undefined ? 0n : readQuantity(value, 'transaction.value'),
    data: data === undefined ? '0x' : readBytes(data, 'transaction.data'),
  };
}

const CALL = ['chainId', 'to', 'value', 'data', 'gas'];
const optional = (transaction: Fields, name: string): bigint | undefined =>
  transaction[name] === undefined ? undefined : readQuantity(transaction[name], `transaction.${name}`);

function readSent(value: unknown): Omit<TransactionRequest, 'kind' | 'wallet'> {
  const transaction = readObject(value, 'transaction', [...CALL, 'maxFeePerGas', 'idempotencyKey']);
  const gas = optional(transaction, 'gas');
  const maxFeePerGas = optional(transaction, 'maxFeePerGas');
  const { idempotencyKey } = transaction;
  return {
    type: 'eip1559',
    ...readCall(transaction),
    accessList: [],
    ...(gas !== undefined && { gas }),
    // The service chooses the priority fee, which is at most the maximum fee.
    ...(maxFeePerGas !== undefined && { maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas }),
    ...(idempotencyKey !== undefined && {
      idempotencyKey: readText(idempotencyKey, 'transaction.idempotencyKey'),
    }),
  };
}

function readSigned(value: unknown): Omit<TransactionRequest, 'kind' | 'wallet'> {
  if (!isRecord(value)) throw new RequestError('transaction is not an object');
  const given =
    value.type ??
    (!Object.hasOwn(value, 'gasPrice') ? 'eip1559' : 'accessList' in value ? 'eip2930' : 'legacy');
  const type = transactionTypes.find((known) => known === given);
  if (type === undefined)
    throw new RequestError(`transaction.type must be one of ${transactionTypes.join(', ')}`);
  const fees = type === 'eip1559' ? ['maxFeePerGas', 'maxPriorityFeePerGas'] : ['gasPrice'];
  const lists = type === 'legacy' ? [] : ['accessList'];
  const transaction = readObject(value, 'transaction', ['type', ...CALL, 'nonce', ...fees, ...lists]);
  const [maxFeePerGas = 0n, maxPriorityFeePerGas = 0n] =
    type === 'eip1559'
      ? fees.map((name) => optional(transaction, name))
      : [optional(transaction, 'gasPrice'), optional(transaction, 'gasPrice')];
  return {
    type,
    ...readCall(transaction),
    nonce: transaction.nonce === undefined ? 0 : readIndex(transaction.nonce, 'transaction.nonce'),
    gas: optional(transaction, 'gas') ?? 0n,
    maxFeePerGas,
    maxPriorityFeePerGas,
    accessList: transaction.accessList === undefined ? [] : readAccessList(transaction.accessList),
  };
}

function readAccessList(value: unknown): AccessList {
  if (!Array.isArray(value)) throw new RequestError('transaction.accessList is not an array');
  return value.map((entry, index) => {
    const field = `transaction.accessList.${index}`;
    const { address, storageKeys } = readObject(entry, field, ['address', 'storageKeys']);
    if (!Array.isArray(storageKeys)) throw new RequestError(`${field}.storageKeys is not an array`);
    return {
      address: readAddress(address, `${field}.address`),
      storageKeys: storageKeys.map((key) => readBytes(key, `${field}.storageKeys`, 32)),
    };
  });
}
