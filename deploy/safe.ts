/** Writes transactions for a Safe in the file format of its Transaction Builder. */
import { type Address, type Hex, keccak256, stringToHex } from 'viem';

type Transaction = { to: Address; data: Hex };

export function transactionBuilderFile(options: {
  chainId: number;
  safe: Address;
  name: string;
  description: string;
  createdAtMs: number;
  transactions: readonly Transaction[];
}): string {
  const batch = {
    version: '1.0',
    chainId: String(options.chainId),
    createdAt: options.createdAtMs,
    meta: {
      name: options.name,
      description: options.description,
      txBuilderVersion: '1.18.2',
      createdFromSafeAddress: options.safe,
      createdFromOwnerAddress: '',
    },
    transactions: options.transactions.map(({ to, data }) => ({
      to,
      value: '0',
      data,
      contractMethod: null,
      contractInputsValues: null,
    })),
  };
  const meta = { ...batch.meta, checksum: checksum(batch) };
  return `${JSON.stringify({ ...batch, meta }, null, 2)}\n`;
}

/** Returns the checksum of a batch, without its name. The Transaction Builder warns when it does not match. */
export function checksum(batch: { meta: object }): Hex {
  return keccak256(stringToHex(canonical({ ...batch, meta: { ...batch.meta, name: null } })));
}

/** Keys sorted and in front of their values, each followed by a comma; arrays as in JSON. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const keys = JSON.stringify(entries.map(([key]) => key));
  return `{${keys}${entries.map(([, item]) => `${canonical(item)},`).join('')}}`;
}
