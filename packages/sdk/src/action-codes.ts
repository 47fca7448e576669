/** Code of actions that the account stores to read it again. */
import { getAsOwner, postAsOwner } from './as-owner.ts';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { cidHash, word } from './values.ts';
import type { WriteOptions } from './write-definition.ts';

export interface StoreActionCodeParameters {
  /** CID of the code, as the account registers it. */
  cid: string;
  code: string;
  /** The CID of the version that it replaces, or its hash from a list. */
  replaces?: string | bigint | undefined;
}

/**
 * Stores the code of an action at the relayer, sealed. The account can read it again, and run it by its CID. Registering the action is
 * another write.
 */
export async function storeActionCode(
  client: BareClient,
  { cid, code, replaces }: StoreActionCodeParameters,
  options: WriteOptions = {},
): Promise<void> {
  await postAsOwner(client, options, '/core/v1/store_action_code', {
    action_ipfs_cid: cid,
    code,
    ...(replaces !== undefined && { replaces_hashed_cid: word(cidHash(replaces)) }),
  });
}

/** Stored code without its text. */
export interface ActionCodeItem {
  cid: string;
  /** Length in UTF-8. */
  bytes: number;
  /** Hash of the CID of the version that it replaces. */
  replaces?: bigint | undefined;
  storedAt: Date;
}

/** Stored code. */
export interface ActionCode extends ActionCodeItem {
  code: string;
}

type Wire = { cid: string; bytes: number; replaces_hashed_cid: string | null; stored_at: string };

const fromWire = ({ cid, bytes, replaces_hashed_cid: replaces, stored_at }: Wire): ActionCodeItem => ({
  cid,
  bytes,
  replaces: replaces === null ? undefined : BigInt(replaces),
  storedAt: new Date(stored_at),
});

/** Lists the stored codes of the account, newest first. */
export async function listActionCodes(
  client: BareClient,
  options: CallOptions = {},
): Promise<ActionCodeItem[]> {
  const { json } = await getAsOwner(client, options, '/core/v1/list_action_codes');
  return json.map(fromWire);
}

export interface ActionCodeParameters {
  cid: string;
}

/** Resolves to stored code. Compare its CID before you rely on it: the relayer is not trusted with that. */
export async function getActionCode(
  client: BareClient,
  { cid }: ActionCodeParameters,
  options: CallOptions = {},
): Promise<ActionCode> {
  const { json } = await getAsOwner(client, options, '/core/v1/action_code/{cid}', {
    params: { cid },
  });
  return { ...fromWire(json), code: json.code };
}

/** Deletes stored code. The action stays registered. */
export async function deleteActionCode(
  client: BareClient,
  { cid }: ActionCodeParameters,
  options: WriteOptions = {},
): Promise<void> {
  await postAsOwner(client, options, '/core/v1/delete_action_code', { action_ipfs_cid: cid });
}
