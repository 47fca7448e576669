/**
 * The requests of the signing functions. Each is checked and hashed before a key is asked for. They come from the code of an
 * action, which can be hostile.
 */
import {
  type Hex,
  hashMessage,
  hashTypedData,
  isAddress,
  isHex,
  keccak256,
  parseSignature,
  serializeTransaction,
  type TransactionSerializable,
  type TypedDataDefinition,
} from 'viem';
import { z } from 'zod';
import { ActionError } from './errors.ts';
import { pkpId } from './pkp-id.ts';

/** Characters of the JSON of typed data. */
const MAX_TYPED_DATA_CHARS = 64 * 1024;
/** Number of structs times the characters of all types, which are hashed again for each struct. */
const MAX_TYPED_DATA_WORK = 1_000_000;

export const bytes = z
  .string()
  .refine((text) => isHex(text) && text.length % 2 === 0, 'is not hex: send 0x and pairs of hex digits');
const bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'is not a hash: send 0x and 64 hex digits');
export const quantity = z
  .custom<number | string>(
    (value) =>
      typeof value === 'string'
        ? /^(0|[1-9]\d{0,77}|0x[0-9a-fA-F]{1,64})$/.test(value)
        : Number.isSafeInteger(value) && (value as number) >= 0,
    'is not a quantity: send an integer, or text in decimal or hex digits',
  )
  .transform((value) => BigInt(value))
  .refine((value) => value < 1n << 256n, 'is not a quantity: it has more than 256 bits');
const index = quantity
  .refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER), 'is too large')
  .transform(Number);
export const chainId = index.refine(
  (id) => id > 0,
  'is not a chain id: a signature without one is valid on every chain',
);
const address = z.string().refine((text) => isAddress(text, { strict: false }), 'is not an address');

const shared = {
  to: address.nullish(),
  value: quantity.optional(),
  data: bytes.optional(),
  nonce: index.optional(),
  gas: quantity.optional(),
  chainId,
};
const accessList = z.array(z.strictObject({ address, storageKeys: z.array(bytes32) }));
const transaction = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('legacy'), ...shared, gasPrice: quantity.optional() }),
  z.strictObject({
    type: z.literal('eip2930'),
    ...shared,
    gasPrice: quantity.optional(),
    accessList: accessList.optional(),
  }),
  z.strictObject({
    type: z.literal('eip1559'),
    ...shared,
    maxFeePerGas: quantity.optional(),
    maxPriorityFeePerGas: quantity.optional(),
    accessList: accessList.optional(),
  }),
]);
/** Without a type, a price of gas makes it a legacy one, as in viem and ethers. */
const anyTransaction = z.preprocess((value) => {
  if (typeof value !== 'object' || value === null || 'type' in value) return value;
  const isLegacy = 'gasPrice' in value;
  return { ...value, type: isLegacy ? ('accessList' in value ? 'eip2930' : 'legacy') : 'eip1559' };
}, transaction);

const fields = z.array(z.strictObject({ name: z.string(), type: z.string() }));
const typedData = z.strictObject({
  domain: z.strictObject({
    name: z.string().optional(),
    version: z.string().optional(),
    chainId: quantity.optional(),
    verifyingContract: address.optional(),
    salt: bytes32.optional(),
  }),
  types: z.record(z.string(), fields),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
});

/** The arguments of each function, as an action gives them. */
export const signingRequests = {
  signMessage: z.object({
    pkpId,
    message: z.union([z.string(), z.strictObject({ raw: bytes })], {
      error: 'is not text or {raw}: send {raw: "0x…"} for bytes',
    }),
  }),
  signTypedData: z.object({ pkpId, ...typedData.shape }),
  signTransaction: z.object({ pkpId, transaction: anyTransaction }),
  signHash: z.object({ pkpId, hash: bytes32 }),
  /** The runner makes these from a request of the action and the relayer's nonce and fees. */
  sendTransaction: z.object({ pkpId, transactions: z.array(anyTransaction) }),
};

/** The hash that a wallet signs, and the result for the action: a signature of 65 bytes, or a signed transaction. */
export type ToSign = { hash: Hex; finish: (signature: Hex) => Hex };

export const asIs = (signature: Hex): Hex => signature;

export const hashOfMessage = ({ message }: z.output<typeof signingRequests.signMessage>): ToSign => ({
  hash: hashMessage(typeof message === 'string' ? message : { raw: message.raw as Hex }),
  finish: asIs,
});

/** EIP-712. Throws a TypeError for values that do not fit their types. */
export function hashOfTypedData({
  pkpId: _,
  ...data
}: z.output<typeof signingRequests.signTypedData>): ToSign {
  const [types, message] = [JSON.stringify(data.types), JSON.stringify(data.message)];
  const length = types.length + message.length;
  if (length > MAX_TYPED_DATA_CHARS)
    throw typeError(`the typed data has ${length} characters, more than ${MAX_TYPED_DATA_CHARS}`);
  if (message.split('{').length * types.length > MAX_TYPED_DATA_WORK)
    throw typeError('the typed data has too many structs for the length of its types');
  if (!Object.hasOwn(data.types, data.primaryType))
    throw typeError(`types does not have the primary type ${data.primaryType.slice(0, 100)}`);
  return {
    hash: fitting('typed data', () => hashTypedData(data as unknown as TypedDataDefinition)),
    finish: asIs,
  };
}

/** EIP-1559, EIP-2930 and EIP-155. Throws a TypeError for values that do not fit together. */
export function hashOfTransaction({
  transaction: fields,
}: Pick<z.output<typeof signingRequests.signTransaction>, 'transaction'>): ToSign {
  const unsigned = fields as TransactionSerializable;
  const hash = fitting('transaction', () => keccak256(serializeTransaction(unsigned)));
  return { hash, finish: (signature) => serializeTransaction(unsigned, parseSignature(signature)) };
}

function fitting<T>(subject: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { shortMessage, message } = error as Error & { shortMessage?: string };
    throw typeError(`malformed ${subject}: ${(shortMessage ?? message).slice(0, 300)}`);
  }
}

const typeError = (message: string): ActionError => new ActionError('TypeError', message);
