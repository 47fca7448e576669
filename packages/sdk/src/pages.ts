/** Lists: over HTTP, from the indexer, or from the contract's views. */
import { accountConfigAbi, walletIdentity } from '@latchkey/protocol';
import {
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
} from 'viem';
import type { BareClient, ChainSecuredBareClient } from './bare-client.ts';
import { readAll, type ViewResult } from './contract.ts';
import type { CallOptions, Deadline } from './deadline.ts';
import { HttpError, LatchkeyError } from './errors.ts';
import { type GetPath, type GetReplyOf, get, type Reply, request, urlOf } from './http.ts';
import { word } from './values.ts';
import { defaultDeadline } from './write.ts';

/** Which page of a list. */
export interface PageParameters {
  /** From 0. Default 0. */
  pageNumber?: number | undefined;
  /** 1 to 1,000. Default 100. */
  pageSize?: number | undefined;
}

/**
 * A page of a list, in order of creation; of the ledger, the latest entry first. Pages of the chain are windows over indices that are never used again: they may
 * hold fewer items than `pageSize` before the last page, and do not shift.
 */
export interface Page<Item> {
  items: Item[];
  /** Is there a page after this one? */
  hasNextPage: boolean;
  /** Length of the whole list; absent in a chain read, which does not count. */
  total?: number;
}

/** What a read gives of labels. They are in events only: the chain's views do not have them. */
export interface LabelsBySource {
  http: { name: string; description: string };
  indexer: { name: string; description: string };
  chain: { name?: never; description?: never };
}

/** Labels as far as the client's reads have them. */
export type Labels<client extends BareClient> = LabelsBySource[client['reads']];

/** Every list as the client takes it: `undefined` for what the chain's views do not tell. */
export interface ListSource<Item, Path extends GetPath> {
  path: Path;
  /** Name of the list at the indexer. */
  indexed: string;
  /** Of this group alone. */
  groupId?: bigint | undefined;
  fromWire: (item: GetReplyOf<Path> extends readonly (infer One)[] ? One : never) => Item;
  fromChain: (window: ChainWindow) => Promise<{ items: Item[]; hasNextPage: boolean }>;
}

/** A page to be read from the chain. */
export interface ChainWindow {
  /** Names the account. */
  account: bigint;
  pageNumber: bigint;
  pageSize: bigint;
  /** Several views at one block. */
  ask: <const Asked extends readonly View[]>(
    views: Asked,
  ) => Promise<{ [index in keyof Asked]: ResultOf<Asked[index]> }>;
}

type ViewName = ContractFunctionName<typeof accountConfigAbi, 'view'>;
/** A question to the contract. */
export interface View<Name extends ViewName = ViewName> {
  functionName: Name;
  data: Hex;
}
type ResultOf<Asked> = Asked extends View<infer Name> ? ViewResult<Name> : never;

export function view<const Name extends ViewName>(
  functionName: Name,
  args: ContractFunctionArgs<typeof accountConfigAbi, 'view', Name>,
): View<Name> {
  return { functionName, data: encodeFunctionData({ abi: accountConfigAbi, functionName, args } as never) };
}

type PageQuery = { page_number: number; page_size: number };

/** The page as it stands in a query. Throws for what is no page. */
export function pageQuery({ pageNumber = 0, pageSize = 100 }: PageParameters): PageQuery {
  if (!Number.isSafeInteger(pageNumber) || pageNumber < 0)
    throw new LatchkeyError('configuration', 'pageNumber has to be a whole number from 0');
  if (!Number.isSafeInteger(pageSize) || pageSize < 1 || pageSize > 1_000)
    throw new LatchkeyError('configuration', 'pageSize has to be a whole number from 1 to 1,000');
  return { page_number: pageNumber, page_size: pageSize };
}

/** The page that was asked for, from a reply with the length of the list in a header. */
export function pageOf<Wire, Item>(
  { json, headers }: Reply<readonly Wire[]>,
  { page_number: pageNumber, page_size: pageSize }: PageQuery,
  fromWire: (item: Wire) => Item,
): Page<Item> {
  const total = Number(headers.get('x-total-count') ?? 0);
  return { items: json.map(fromWire), hasNextPage: (pageNumber + 1) * pageSize < total, total };
}

export async function listPage<Item, Path extends GetPath>(
  client: BareClient,
  source: ListSource<Item, Path>,
  parameters: PageParameters,
  options: CallOptions | undefined,
): Promise<Page<Item>> {
  const page = pageQuery(parameters);
  const deadline = defaultDeadline(client, options);
  if (client.mode === 'chainSecured' && client.reads === 'chain') {
    return source.fromChain({
      account: walletIdentity(client.internals.wallet.account.address),
      pageNumber: BigInt(page.page_number),
      pageSize: BigInt(page.page_size),
      ask: async (views) => {
        const results = await readAll(
          client,
          views.map(({ data }) => data),
          deadline,
        );
        return views.map(({ functionName }, index) =>
          decodeFunctionResult({ abi: accountConfigAbi, functionName, data: results[index] } as never),
        ) as never;
      },
    });
  }
  const query = { ...page, group_id: source.groupId };
  const reply =
    client.mode === 'api'
      ? await get(client, source.path, {
          query,
          key: client.internals.apiKey(),
          seesOwnWrites: true,
          deadline,
        })
      : await askIndexer(client, source.indexed, query, deadline);
  return pageOf(reply as Reply<never[]>, page, source.fromWire);
}

async function askIndexer(
  client: ChainSecuredBareClient,
  list: string,
  query: Record<string, string | number | bigint | undefined>,
  deadline: Deadline,
): Promise<{ json: unknown; headers: Headers }> {
  const ask = (path: string, own: typeof query) => {
    const { indexerUrl = '', lastBlock } = client.internals;
    const min = lastBlock > 0n ? { min_block: lastBlock } : {};
    return request<unknown>(
      client,
      urlOf(indexerUrl, path, { ...own, ...min }),
      { method: 'GET', headers: {} },
      { deadline },
    );
  };
  const { internals } = client;
  const wallet = internals.wallet.account.address;
  if (internals.masterHash === undefined) {
    const { json } = await ask(`/accounts/${word(walletIdentity(wallet))}`, {});
    const account = json as { api_key_hash: Hex; admin_wallet_address: Address; managed: boolean };
    // The identity of a former admin wallet still names the account that it gave away.
    if (account.managed || !isAddressEqual(account.admin_wallet_address, wallet))
      throw new HttpError('not_found', 'the wallet owns no account', { status: 404 });
    internals.masterHash = BigInt(account.api_key_hash);
  }
  return ask(`/accounts/${word(internals.masterHash)}/${list}`, query);
}

/** Is there an index after this window? */
export function endsBefore({ pageNumber, pageSize }: ChainWindow, size: bigint): boolean {
  return (pageNumber + 1n) * pageSize < size;
}
