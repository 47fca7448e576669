/** Transactions as JSON-RPC has them. They come from pages, which can be hostile. */
import { type Address, getAddress, type Hex, isAddress, isHex } from 'viem';
import { CODES, WalletRequestError } from './errors.ts';

const invalid = (message: string): WalletRequestError => new WalletRequestError(CODES.invalidParams, message);

export function readRecord(value: unknown, field: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${field} is not an object.`);
  return value as Record<string, unknown>;
}

/** Returns undefined for an absent value. */
export function readBytes(value: unknown, field: string): Hex | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isHex(value) || value.length % 2 === 1)
    throw invalid(`${field} is not hex: send 0x and pairs of hex digits.`);
  return value;
}

export function readQuantity(value: unknown, field: string): bigint | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw invalid(`${field} is not a quantity: send 0x and hex digits.`);
  return BigInt(value);
}

/** A quantity that viem has as a number. */
function readIndex(value: unknown, field: string): number | undefined {
  const read = readQuantity(value, field);
  if (read === undefined) return undefined;
  if (read > BigInt(Number.MAX_SAFE_INTEGER)) throw invalid(`${field} is too large.`);
  return Number(read);
}

export function readAddress(value: unknown, field: string): Address {
  if (typeof value !== 'string' || !isAddress(value, { strict: false }))
    throw invalid(`${field} is not an address.`);
  return getAddress(value);
}

const readList = <T>(value: unknown, field: string, read: (entry: unknown, field: string) => T) => {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw invalid(`${field} is not an array.`);
  return value.map((entry, index) => read(entry, `${field}.${index}`));
};

const readAccess = (value: unknown, field: string) => {
  const { address, storageKeys } = readRecord(value, field);
  return {
    address: readAddress(address, `${field}.address`),
    storageKeys:
      readList(storageKeys, `${field}.storageKeys`, (key, name) => readBytes(key, name) ?? '0x') ?? [],
  };
};

const readAuthorization = (value: unknown, field: string) => {
  const { address, chainId, nonce, r, s, yParity } = readRecord(value, field);
  return {
    address: readAddress(address, `${field}.address`),
    chainId: readIndex(chainId, `${field}.chainId`) ?? 0,
    nonce: readIndex(nonce, `${field}.nonce`) ?? 0,
    r: readBytes(r, `${field}.r`) ?? '0x',
    s: readBytes(s, `${field}.s`) ?? '0x',
    yParity: readIndex(yParity, `${field}.yParity`) ?? 0,
  };
};

const FIELDS = [
  ...['type', 'chainId', 'from', 'to', 'value', 'data', 'input', 'nonce', 'gas', 'gasPrice'],
  ...['maxFeePerGas', 'maxPriorityFeePerGas', 'accessList', 'authorizationList'],
];

/** Both names are in use. A node can take either of them. */
function readData(fields: Record<string, unknown>): Hex | undefined {
  const data = readBytes(fields.data, 'data');
  const input = readBytes(fields.input, 'input');
  if (data !== undefined && input !== undefined && data.toLowerCase() !== input.toLowerCase())
    throw invalid('data and input differ.');
  return data ?? input;
}

/** Returns a transaction request of viem, with undefined for each absent field. */
export function readTransaction(value: unknown) {
  const fields = readRecord(value, 'the transaction');
  const unknown = Object.keys(fields).find((name) => !FIELDS.includes(name));
  // A field that is left out could change what the transaction does.
  if (unknown !== undefined) throw invalid(`${unknown.slice(0, 100)} of the transaction is not supported.`);
  const { from, to } = fields;
  return {
    from: from === undefined ? undefined : readAddress(from, 'from'),
    to: to === undefined || to === null ? null : readAddress(to, 'to'),
    data: readData(fields),
    type: readQuantity(fields.type, 'type'),
    chainId: readQuantity(fields.chainId, 'chainId'),
    value: readQuantity(fields.value, 'value'),
    nonce: readIndex(fields.nonce, 'nonce'),
    gas: readQuantity(fields.gas, 'gas'),
    gasPrice: readQuantity(fields.gasPrice, 'gasPrice'),
    maxFeePerGas: readQuantity(fields.maxFeePerGas, 'maxFeePerGas'),
    maxPriorityFeePerGas: readQuantity(fields.maxPriorityFeePerGas, 'maxPriorityFeePerGas'),
    accessList: readList(fields.accessList, 'accessList', readAccess),
    authorizationList: readList(fields.authorizationList, 'authorizationList', readAuthorization),
  };
}

export type RpcTransaction = ReturnType<typeof readTransaction>;
