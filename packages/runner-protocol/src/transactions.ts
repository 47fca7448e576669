/** Transactions that a run sends for a wallet: the request of the action, and the forms that the run signs for the relayer. */
import { z } from 'zod';
import { pkpId as checksumAddress } from './pkp-id.ts';
import { bytes, chainId, quantity } from './signing.ts';

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
/** The fees of the forms that the relayer asks a run to sign: of the call, and of a transfer of nothing to the wallet itself. */
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
