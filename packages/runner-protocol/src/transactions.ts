/** Transactions that a run sends for a wallet: the request of the action, and the forms that the run signs for the relayer. */
import { recoverSigner } from '@latchkey/service/secp256k1';
import { type Address, type Hex, isAddressEqual, parseTransaction, serializeSignature } from 'viem';
import { z } from 'zod';
import { pkpId as checksumAddress } from './pkp-id.ts';
import { bytes, chainId, hashOfTransaction, quantity, signingRequests } from './signing.ts';

/** How often the relayer may have one transaction signed, each time with a nonce that is not lower. */
export const MAX_SIGNINGS = 5;
/** Forms of one nonce: a first one, and three with higher fees. */
const MAX_FORMS = 4;
const MAX_DATA_BYTES = 64 * 1024;

const amount = quantity.transform(String);

/** Arguments of `sendTransaction`. Amounts become decimal text, so that the result is JSON and fits this schema again. */
export const sendRequest = z
  .strictObject({
    pkpId: checksumAddress,
    chainId,
    /** Null creates a contract. */
    to: checksumAddress.nullable(),
    value: amount.default('0'),
    data: bytes
      .refine((data) => data.length <= 2 + 2 * MAX_DATA_BYTES, `has more than ${MAX_DATA_BYTES} bytes`)
      .default('0x'),
    gas: amount.optional(),
    /** In wei. No form costs more. */
    maxFeePerGas: amount.optional(),
    /** Requests of an account with one key, wallet and chain are one transaction. */
    idempotencyKey: z
      .string('is not a string')
      .regex(/^[\x20-\x7e]{1,255}$/, 'is not 1 to 255 printable ASCII characters')
      .optional(),
  })
  .refine(({ to, data }) => to !== null || data !== '0x', {
    path: ['to'],
    message: 'is null, which creates a contract: send its code in data',
  });
export type SendRequest = z.output<typeof sendRequest>;

const fees = z.object({ maxFeePerGas: amount, maxPriorityFeePerGas: amount });
/** What the relayer asks a run to sign: the call with each of the fees, and a transfer of nothing to the wallet itself. */
export const formsToSign = z.object({
  nonce: z.int().nonnegative(),
  gas: amount,
  forms: z.array(fees).min(1).max(MAX_FORMS),
  cancel: fees.extend({ gas: amount }),
});
export type FormsToSign = z.output<typeof formsToSign>;

/** Returns the unsigned transactions of a request, as `signTransaction` takes them: its forms, and the cancelling one last. */
export function unsignedForms(
  { pkpId, chainId, to, value, data }: SendRequest,
  { nonce, gas, forms, cancel }: FormsToSign,
) {
  const common = { type: 'eip1559', chainId, nonce } as const;
  const call = { ...common, to, value, data, gas };
  return [...forms.map((each) => ({ ...call, ...each })), { ...common, to: pkpId, value: '0', ...cancel }];
}

/** Returns whether `raws` are these transactions, signed by the wallet. */
export function areSigned(
  pkpId: Address,
  transactions: ReturnType<typeof unsignedForms>,
  raws: readonly string[],
): boolean {
  if (raws.length !== transactions.length) return false;
  const { transactions: parsed } = signingRequests.sendTransaction.parse({ pkpId, transactions });
  return parsed.every((transaction, i) => {
    try {
      const { hash, finish } = hashOfTransaction({ transaction });
      const signature = signatureOf(raws[i] as Hex);
      const signer = recoverSigner(hash, signature);
      return signer !== undefined && isAddressEqual(signer, pkpId) && finish(signature) === raws[i];
    } catch {
      return false;
    }
  });
}

function signatureOf(raw: Hex): Hex {
  const { r, s, yParity } = parseTransaction(raw as `0x02${string}`);
  if (r === undefined || s === undefined || yParity === undefined) throw new Error('not signed');
  return serializeSignature({ r, s, yParity });
}
