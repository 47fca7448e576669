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
import { isExportable } from '@latchkey/protocol';
import { and, asc, count, eq, inArray, sql } from 'ponder';
import { type Address, getAddress, type Hex, numberToHex } from 'viem';
import type { Page } from './params.ts';

export type List = { total: number; items: object[] };

/** Returns the wire form of a hash, id or path: 0x and 64 hex digits. */
export function word(value: bigint): Hex {
  return numberToHex(value, { size: 32 });
}

/** Returns a group id of a permission list: a number, or a string when a number would not be exact. */
function groupIdToWire(id: bigint): number | string {
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : id.toString();
}

/** A query of the number of rows on all pages. */
type Total = PromiseLike<{ total: number }[]>;

/** Makes the total a column of each row of a page. */
const withTotal = (total: Total) => sql<number>`${total}`.mapWith(Number);

/** Returns the total of a page. A page past the last row has no row that carries the total, so it costs one more query. */
async function readTotal(
  rows: readonly { total: number }[],
  { offset }: Page,
  total: Total,
): Promise<number> {
  const [first] = rows.length === 0 && offset > 0 ? await total : rows;
  return first?.total ?? 0;
}

export async function isGroupLive(masterHash: bigint, groupId: bigint): Promise<boolean> {
  const rows = await db
    .select({ groupId: groups.groupId })
    .from(groups)
    .where(and(eq(groups.masterHash, masterHash), eq(groups.groupId, groupId)));
  return rows.length > 0;
}

export async function listApiKeys(masterHash: bigint, page: Page): Promise<List> {
  const ofAccount = eq(usageKeys.masterHash, masterHash);
  const total = db.select({ total: count() }).from(usageKeys).where(ofAccount);
  const ofPage = db
    .select({ hash: usageKeys.hash })
    .from(usageKeys)
    .where(ofAccount)
    .orderBy(asc(usageKeys.position))
    .limit(page.limit)
    .offset(page.offset);
  const { manageIpfsIdsInGroups, addPkpToGroups, removePkpFromGroups, executeInGroups } = usageKeys;
  const named = sql`${manageIpfsIdsInGroups} || ${addPkpToGroups} || ${removePkpFromGroups} || ${executeInGroups}`;
  const live = db
    .select({ id: sql`${groups.groupId}::text` })
    .from(groups)
    .where(and(eq(groups.masterHash, masterHash), sql`${groups.groupId} = any(${named})`));
  const rows = await db
    .select({ key: usageKeys, live: sql<string[]>`array${live}`, total: withTotal(total) })
    .from(usageKeys)
    .where(inArray(usageKeys.hash, ofPage))
    .orderBy(asc(usageKeys.position));
  return {
    total: await readTotal(rows, page, total),
    items: rows.map(({ key, live }) => {
      const ids = new Set(live.map(BigInt));
      const groupList = (list: bigint[]) => list.filter((id) => id === 0n || ids.has(id)).map(groupIdToWire);
      return {
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
      };
    }),
  };
}

export async function listGroups(masterHash: bigint, page: Page): Promise<List> {
  const ofAccount = eq(groups.masterHash, masterHash);
  const total = db.select({ total: count() }).from(groups).where(ofAccount);
  const ofPage = db
    .select({ groupId: groups.groupId })
    .from(groups)
    .where(ofAccount)
    .orderBy(asc(groups.groupId))
    .limit(page.limit)
    .offset(page.offset);
  const cids = db
    .select({ hash: sql`${groupActions.actionHash}::text` })
    .from(groupActions)
    .leftJoin(
      actions,
      and(eq(actions.masterHash, groupActions.masterHash), eq(actions.hash, groupActions.actionHash)),
    )
    .where(and(eq(groupActions.masterHash, masterHash), eq(groupActions.groupId, groups.groupId)))
    .orderBy(wildcardFirst(actions.position));
  const pkps = db
    .select({ wallet: groupWallets.wallet })
    .from(groupWallets)
    .leftJoin(
      wallets,
      and(eq(wallets.masterHash, groupWallets.masterHash), eq(wallets.wallet, groupWallets.wallet)),
    )
    .where(and(eq(groupWallets.masterHash, masterHash), eq(groupWallets.groupId, groups.groupId)))
    .orderBy(wildcardFirst(wallets.position));
  const rows = await db
    .select({
      group: groups,
      cids: sql<string[]>`array${cids}`,
      pkps: sql<Address[]>`array${pkps}`,
      total: withTotal(total),
    })
    .from(groups)
    .where(and(ofAccount, inArray(groups.groupId, ofPage)))
    .orderBy(asc(groups.groupId));
  return {
    total: await readTotal(rows, page, total),
    items: rows.map(({ group, cids, pkps }) => ({
      id: word(group.groupId),
      name: group.name,
      description: group.description,
      cid_hashes_permitted: cids.map((hash) => word(BigInt(hash))),
      pkp_ids_permitted: pkps.map((wallet) => getAddress(wallet)),
    })),
  };
}

/** Orders by creation; the wildcard, which has no row of its own, comes first. */
function wildcardFirst(position: typeof actions.position | typeof wallets.position) {
  return sql`${position} ASC NULLS FIRST`;
}

/** Lists actions, of one group when `groupId` is given: hash 0 with empty labels means every action. */
export async function listActions(masterHash: bigint, page: Page, groupId?: bigint): Promise<List> {
  const { limit, offset } = page;
  if (groupId === undefined) {
    const ofAccount = eq(actions.masterHash, masterHash);
    const total = db.select({ total: count() }).from(actions).where(ofAccount);
    const rows = await db
      .select({ row: actions, total: withTotal(total) })
      .from(actions)
      .where(ofAccount)
      .orderBy(asc(actions.position))
      .limit(limit)
      .offset(offset);
    return { total: await readTotal(rows, page, total), items: rows.map(({ row }) => actionToWire(row)) };
  }
  const inGroup = and(eq(groupActions.masterHash, masterHash), eq(groupActions.groupId, groupId));
  const total = db.select({ total: count() }).from(groupActions).where(inGroup);
  const rows = await db
    .select({
      hash: groupActions.actionHash,
      name: actions.name,
      description: actions.description,
      total: withTotal(total),
    })
    .from(groupActions)
    .leftJoin(
      actions,
      and(eq(actions.masterHash, groupActions.masterHash), eq(actions.hash, groupActions.actionHash)),
    )
    .where(inGroup)
    .orderBy(wildcardFirst(actions.position))
    .limit(limit)
    .offset(offset);
  return { total: await readTotal(rows, page, total), items: rows.map(actionToWire) };
}

function actionToWire(action: { hash: bigint; name: string | null; description: string | null }) {
  return { id: word(action.hash), name: action.name ?? '', description: action.description ?? '' };
}

/**
 * Lists wallets, of one group when `groupId` is given: wallet 0 with path 0 and empty labels means every wallet of the
 * account.
 */
export async function listWallets(masterHash: bigint, page: Page, groupId?: bigint): Promise<List> {
  const { limit, offset } = page;
  if (groupId === undefined) {
    const ofAccount = eq(wallets.masterHash, masterHash);
    const total = db.select({ total: count() }).from(wallets).where(ofAccount);
    const rows = await db
      .select({ row: wallets, total: withTotal(total) })
      .from(wallets)
      .where(ofAccount)
      .orderBy(asc(wallets.position))
      .limit(limit)
      .offset(offset);
    return { total: await readTotal(rows, page, total), items: rows.map(({ row }) => walletToWire(row)) };
  }
  const inGroup = and(eq(groupWallets.masterHash, masterHash), eq(groupWallets.groupId, groupId));
  const total = db.select({ total: count() }).from(groupWallets).where(inGroup);
  const rows = await db
    .select({
      wallet: groupWallets.wallet,
      derivationPath: wallets.derivationPath,
      name: wallets.name,
      description: wallets.description,
      total: withTotal(total),
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
  return { total: await readTotal(rows, page, total), items: rows.map(walletToWire) };
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
    exportable: isExportable(row.derivationPath ?? 0n),
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
