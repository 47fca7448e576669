/** Everything that an account has, for a copy in a file. */
import { getAsOwner } from './as-owner.ts';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import type { GetReplyOf } from './http.ts';

/**
 * Usage keys, groups with their contents, actions and wallets of one block, and the credit. It has no key: usage keys have hashes, and
 * wallets addresses. The form is that of the wire, so that a JSON file can hold it.
 */
export type AccountExport = GetReplyOf<'/core/v1/export_account'>;

/** Returns everything that the account has, from the relayer. */
export async function exportAccount(client: BareClient, options?: CallOptions): Promise<AccountExport> {
  const { json } = await getAsOwner(client, options, '/core/v1/export_account');
  return json;
}
