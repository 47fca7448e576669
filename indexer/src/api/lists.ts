import { db } from 'ponder:api';
import {
  accounts,
  actions,
  apiPayers,
  groupActions,
  groups,
  groupWallets,
  names,
  usageKeys,
  wallets,
} from 'ponder:schema';
import { and, asc, count, eq, inArray, sql } from 'ponder';
import { type Address, getAddress, type Hex, numberToHex } from 'viem';
import type { Page } from './params.ts';

export type List = { total: number; items: object[] };

/** Returns the wire form of a hash, id or path: 0x and 64 hex digits. */
function word(value: bigint): Hex {
  return numberToHex(value, { size: 32 });
}

/** Returns a group id of a permission list: a number, or a string when a number would not be exact. */
function groupIdToWire(id: bigint): number | string {
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : id.toString();
}

async function readTotal(query: PromiseLike<{ total: number }[]>): Promise<number> {
  const [row] = await query;
  return row?.total ?? 0;
}

async function liveGroups(masterHash: bigint, ids: Iterable<bigint>): Promise<Set<bigint>> {
  const rows = await db
    .select({ groupId: groups.groupId })
    .from(groups)
    .where(and(eq(groups.masterHash, masterHash), inArray(groups.groupId, [...new Set(ids)])));
  return new Set(rows.map(({ groupId }) => groupId));
}

export async function isGroupLive(masterHash: bigint, groupId: bigint): Promise<boolean> {
  return (await liveGroups(masterHash, [groupId])).has(groupId);
}

export async function listApiKeys(masterHash: bigint, { limit, offset }: Page): Promise<List> {
  const ofAccount = eq(usageKeys.masterHash, masterHash);
  const total = await readTotal(db.select({ total: count() }).from(usageKeys).where(ofAccount));
  const rows = await db
    .select()
    .from(usageKeys)
    .where(ofAccount)
    .orderBy(asc(usageKeys.position))
    .limit(limit)
    .offset(offset);
  const live = await liveGroups(
    masterHash,
    rows.flatMap((key) => [
      ...key.manageIpfsIdsInGroups,
      ...key.addPkpToGroups,
      ...key.removePkpFromGroups,
      ...key.executeInGroups,
    ]),
  );
  const groupList = (ids: bigint[]) => ids.filter((id) => id === 0n || live.has(id)).map(groupIdToWire);
  return {
    total,
    items: rows.map((key) => ({
      id: word(key.hash),
      api_key_hash: word(key.hash),
      name: key.name,
      description: key.description,
      expiration: key.expiration.toString(),
      balance: key.balance.toString(),
      can_create_groups: key.createGroups,
      can_delete_groups: key.deleteGroups,
      can_create_pkps: key.createPkps,
      can_manage_ipfs_ids_in_groups: groupList(key.manageIpfsIdsInGroups),
      can_add_pkp_to_groups: groupList(key.addPkpToGroups),
      can_remove_pkp_from_groups: groupList(key.removePkpFromGroups),
      can_execute_in_groups: groupList(key.executeInGroups),
    })),
  };
}

export async function listGroups(masterHash: bigint, { limit, offset }: Page): Promise<List> {
  const ofAccount = eq(groups.masterHash, masterHash);
  const total = await readTotal(db.select({ total: count() }).from(groups).where(ofAccount));
  const rows = await db
    .select()
    .from(groups)
    .where(ofAccount)
    .orderBy(asc(groups.groupId))
    .limit(limit)
    .offset(offset);
  const ids = rows.map(({ groupId }) => groupId);
  const cids = await db
    .select({ groupId: groupActions.groupId, hash: groupActions.actionHash })
    .from(groupActions)
    .leftJoin(
      actions,
      and(eq(actions.masterHash, groupActions.masterHash), eq(actions.hash, groupActions.actionHash)),
    )
    .where(and(eq(groupActions.masterHash, masterHash), inArray(groupActions.groupId, ids)))
    .orderBy(wildcardFirst(actions.position));
  const pkps = await db
    .select({ groupId: groupWallets.groupId, wallet: groupWallets.wallet })
    .from(groupWallets)
    .leftJoin(
      wallets,
      and(eq(wallets.masterHash, groupWallets.masterHash), eq(wallets.wallet, groupWallets.wallet)),
    )
    .where(and(eq(groupWallets.masterHash, masterHash), inArray(groupWallets.groupId, ids)))
    .orderBy(wildcardFirst(wallets.position));
  const cidsByGroup = Map.groupBy(cids, ({ groupId }) => groupId);
  const pkpsByGroup = Map.groupBy(pkps, ({ groupId }) => groupId);
  return {
    total,
    items: rows.map(({ groupId, name, description }) => ({
      id: word(groupId),
      name,
      description,
      cid_hashes_permitted: (cidsByGroup.get(groupId) ?? []).map(({ hash }) => word(hash)),
      pkp_ids_permitted: (pkpsByGroup.get(groupId) ?? []).map(({ wallet }) => getAddress(wallet)),
    })),
  };
}

/** Orders by creation; the wildcard, which has no row of its own, comes first. */
function wildcardFirst(position: typeof actions.position | typeof wallets.position) {
  return sql`${position} ASC NULLS FIRST`;
}

/** Lists actions, of one group when `groupId` is given: hash 0 with empty labels means every action. */
export async function listActions(
  masterHash: bigint,
  { limit, offset }: Page,
  groupId?: bigint,
): Promise<List> {
  if (groupId === undefined) {
    const ofAccount = eq(actions.masterHash, masterHash);
    const total = await readTotal(db.select({ total: count() }).from(actions).where(ofAccount));
    const rows = await db
      .select()
      .from(actions)
      .where(ofAccount)
      .orderBy(asc(actions.position))
      .limit(limit)
      .offset(offset);
    return { total, items: rows.map(actionToWire) };
  }
  const inGroup = and(eq(groupActions.masterHash, masterHash), eq(groupActions.groupId, groupId));
  const total = await readTotal(db.select({ total: count() }).from(groupActions).where(inGroup));
  const rows = await db
    .select({ hash: groupActions.actionHash, name: actions.name, description: actions.description })
    .from(groupActions)
    .leftJoin(
      actions,
      and(eq(actions.masterHash, groupActions.masterHash), eq(actions.hash, groupActions.actionHash)),
    )
    .where(inGroup)
    .orderBy(wildcardFirst(actions.position))
    .limit(limit)
    .offset(offset);
  return { total, items: rows.map(actionToWire) };
}

function actionToWire(action: { hash: bigint; name: string | null; description: string | null }) {
  return { id: word(action.hash), name: action.name ?? '', description: action.description ?? '' };
}

/**
 * Lists wallets, of one group when `groupId` is given: wallet 0 with path 0 and empty labels means every wallet of the
 * account.
 */
export async function listWallets(
  masterHash: bigint,
  { limit, offset }: Page,
  groupId?: bigint,
): Promise<List> {
  if (groupId === undefined) {
    const ofAccount = eq(wallets.masterHash, masterHash);
    const total = await readTotal(db.select({ total: count() }).from(wallets).where(ofAccount));
    const rows = await db
      .select()
      .from(wallets)
      .where(ofAccount)
      .orderBy(asc(wallets.position))
      .limit(limit)
      .offset(offset);
    return { total, items: rows.map(walletToWire) };
  }
  const inGroup = and(eq(groupWallets.masterHash, masterHash), eq(groupWallets.groupId, groupId));
  const total = await readTotal(db.select({ total: count() }).from(groupWallets).where(inGroup));
  const rows = await db
    .select({
      wallet: groupWallets.wallet,
      derivationPath: wallets.derivationPath,
      name: wallets.name,
      description: wallets.description,
    })
    .from(groupWallets)
    .leftJoin(
      wallets,
      and(eq(wallets.masterHash, groupWallets.masterHash), eq(wallets.wallet, groupWallets.wallet)),
    )
    .where(inGroup)
    .orderBy(wildcardFirst(wallets.position))
    .limit(limit)
    .offset(offset);
  return { total, items: rows.map(walletToWire) };
}

function walletToWire(row: {
  wallet: Address;
  derivationPath: bigint | null;
  name: string | null;
  description: string | null;
}) {
  const path = word(row.derivationPath ?? 0n);
  return {
    id: path,
    name: row.name ?? '',
    description: row.description ?? '',
    wallet_address: getAddress(row.wallet),
    derivation_path: path,
  };
}

/** Resolves to the account that this hash names: by its account key, master hash or alias. */
export async function findAccount(hash: bigint): Promise<object | undefined> {
  const [named] = await db.select().from(names).where(eq(names.hash, hash));
  const masterHash = named?.masterHash ?? hash;
  const [account] = await db.select().from(accounts).where(eq(accounts.masterHash, masterHash));
  return (
    account && {
      api_key_hash: word(account.masterHash),
      admin_wallet_address: getAddress(account.adminWallet),
      managed: account.managed,
      name: account.name,
      description: account.description,
    }
  );
}

export async function listApiPayers(): Promise<Address[]> {
  const rows = await db.select().from(apiPayers).orderBy(asc(apiPayers.payer));
  return rows.map(({ payer }) => getAddress(payer));
}

/** Resolves to the hashes that at least one account has registered. */
export async function registeredActions(hashes: bigint[]): Promise<Hex[]> {
  const rows = await db
    .selectDistinct({ hash: actions.hash })
    .from(actions)
    .where(inArray(actions.hash, hashes))
    .orderBy(asc(actions.hash));
  return rows.map(({ hash }) => word(hash));
}
