/** Queries of the contents of an account. Each list is read whole, because pages filter and count its items. */
import { cidHash } from '@latchkey/protocol';
import {
  type ApiBareClient,
  type ChainSecuredBareClient,
  LatchkeyError,
  type Page,
  type PageParameters,
  type RunRecord,
  type TriggersClient,
  type UsageApiKey,
} from '@latchkey/sdk';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ChainSecuredSession } from './session/session.ts';
import { useSession } from './session/session-context.tsx';

/** Names of the queries, for `refresh` after a write. */
export type QueryName =
  | 'account'
  | 'balance'
  | 'ledger'
  | 'keys'
  | 'groups'
  | 'actions'
  | 'codes'
  | 'wallets'
  | 'runs'
  | 'approvals'
  | 'triggers'
  | 'agents';

const PAGE_SIZE = 1_000;
/** The members that the parameters of every list have. */
type PageSize = Pick<PageParameters, 'pageSize'>;

/** Reads every page of a list. */
export async function readAll<Item>(
  list: (page: PageSize) => Promise<Page<Item, PageSize>>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let next: PageSize | undefined = { pageSize: PAGE_SIZE }; next; ) {
    const page: Page<Item, PageSize> = await list(next);
    items.push(...page.items);
    next = page.nextPage;
  }
  return items;
}

/** A usage key of either mode. A ChainSecured account's have no caps, and without an indexer no labels. */
export type ListedKey = UsageApiKey<ApiBareClient> | UsageApiKey<ChainSecuredBareClient>;

export function useUsageKeys() {
  const { client } = useSession();
  const list = (page: PageParameters): Promise<Page<ListedKey>> => client.listApiKeys(page);
  return useQuery({ queryKey: ['keys'], queryFn: () => readAll(list) });
}

export function useGroups() {
  const { client } = useSession();
  return useQuery({ queryKey: ['groups'], queryFn: () => readAll((page) => client.listGroups(page)) });
}

export function useActions() {
  const { client } = useSession();
  return useQuery({ queryKey: ['actions'], queryFn: () => readAll((page) => client.listActions(page)) });
}

export function useWallets() {
  const { client } = useSession();
  return useQuery({ queryKey: ['wallets'], queryFn: () => readAll((page) => client.listWallets(page)) });
}

/** The triggers of the account, once there is a client of their service. */
export function useTriggers(client: TriggersClient | undefined) {
  return useQuery({
    queryKey: ['triggers'],
    queryFn: client ? () => readAll((page) => client.listTriggers(page)) : skipToken,
  });
}

/** Other programs spend the credit too. */
const BALANCE_REFRESH_MS = 30_000;

/** In ChainSecured mode the balance needs a signature of the wallet: it is read by `CreditAccess` only. */
export function useBalance() {
  const { client, mode } = useSession();
  return useQuery({
    queryKey: ['balance'],
    queryFn: () => client.getBalance(),
    enabled: mode === 'api',
    refetchInterval: mode === 'api' && BALANCE_REFRESH_MS,
  });
}

/** The automatic top-up, null while it is off or the service accepts no cards. It is read like the balance. */
export function useAutoTopUp() {
  const { client, mode } = useSession();
  const balance = useBalance();
  return useQuery({
    queryKey: ['top-up'],
    queryFn: () =>
      client.getAutoTopUp().then(
        (found) => found ?? null,
        (error: unknown) => {
          if (error instanceof LatchkeyError && error.code === 'not_found') return null;
          throw error;
        },
      ),
    enabled: mode === 'api' || balance.data !== undefined,
    refetchOnWindowFocus: mode === 'api',
    refetchInterval: ({ state }) => mode === 'api' && Boolean(state.data) && BALANCE_REFRESH_MS,
  });
}

/** The account of the wallet on the chain: a wallet can be connected before it has opened or accepted one. */
export function useWalletAccount({ client }: ChainSecuredSession) {
  return useQuery({ queryKey: ['account'], queryFn: () => client.accountState() });
}

/** The lists that pages on groups and permissions read together. */
export function useAccountLists() {
  return { groups: useGroups(), keys: useUsageKeys(), actions: useActions(), wallets: useWallets() };
}

/** The newest runs of the account: one request for all that a page shows of them. */
function useNewestRuns<Data>(
  select: (runs: RunRecord[]) => Data,
  options: { enabled: boolean; placeholderData?: RunRecord[] },
) {
  const { client, mode } = useSession();
  return useQuery({
    queryKey: ['runs', 'newest'],
    queryFn: async () => (await client.listRuns({ pageSize: PAGE_SIZE })).items,
    staleTime: 60_000,
    // A wallet is asked to sign again only when the user does something.
    refetchOnWindowFocus: mode === 'api',
    select,
    ...options,
  });
}

/** The newest run of each usage key. With `isWhole`, a key without one has none. */
export function useLastRuns(enabled: boolean) {
  return useNewestRuns(toLastRuns, { enabled });
}

function toLastRuns(runs: RunRecord[]) {
  const byKey = new Map<bigint, RunRecord>();
  for (const run of runs) if (!byKey.has(run.usageKeyHash)) byKey.set(run.usageKeyHash, run);
  return { byKey, isWhole: runs.length < PAGE_SIZE };
}

/** The newest run of a usage key; null when there is none. */
export function useLastRun(usageKeyHash: bigint, enabled: boolean) {
  const { client, mode } = useSession();
  return useQuery({
    queryKey: ['runs', 'last', String(usageKeyHash)],
    queryFn: async () => (await client.listRuns({ usageKey: usageKeyHash, pageSize: 1 })).items[0] ?? null,
    staleTime: 60_000,
    refetchOnWindowFocus: mode === 'api',
    enabled,
  });
}

/** The stored codes of the account, newest first. Of a ChainSecured account once its wallet has signed: it is not asked for them. */
export function useStoredCodes() {
  const { client, mode } = useSession();
  const isWallet = mode === 'chainSecured';
  const balance = useBalance();
  return useQuery({
    queryKey: ['codes'],
    queryFn: () => client.listActionCodes(),
    enabled: !isWallet || balance.data !== undefined,
    ...(isWallet && { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false }),
  });
}

/** CIDs by their hashes, of stored codes. */
export function useStoredCids(): Map<bigint, string> {
  const { data } = useStoredCodes();
  return useMemo(() => toCids(data ?? []), [data]);
}

/**
 * CIDs by their hashes, of the newest runs: the chain stores hashes only. A ChainSecured account has none here, because its
 * wallet would sign to read them.
 */
export function useKnownCids() {
  const enabled = useSession().mode === 'api';
  return useNewestRuns(toCids, { enabled, ...(!enabled && { placeholderData: noRuns }) });
}

/** The same array each time: the query would select from another one anew in every render. */
const noRuns: RunRecord[] = [];

const toCids = (items: { cid?: string | undefined }[]) =>
  new Map(items.flatMap(({ cid }) => (cid === undefined ? [] : [[cidHash(cid), cid] as const])));
