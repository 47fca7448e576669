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
import { type CallOptions, type Deadline, defaultDeadline } from './deadline.ts';
import { HttpError, LatchkeyError } from './errors.ts';
import { buildUrl, type GetPath, type GetReplyOf, get, type Reply, request } from './http.ts';
import { word } from './values.ts';

/** Options of a list. */
export interface PageParameters {
  /** Page number, from 0. Default 0. */
  pageNumber?: number | undefined;
  /** Items per page, 1 to 1,000. Default 100. */
  pageSize?: number | undefined;
}

/**
 * A page of a list, in order of creation; of runs, triggers and ledger entries, the latest first. Pages of the chain are windows
 * over indices that are never reused: they can contain fewer items than `pageSize` before the last page, and do not shift.
 */
export interface Page<Item, Parameters = PageParameters> {
  items: Item[];
  /** The parameters of the call that returns the next page; absent on the last page. */
  nextPage?: Parameters | undefined;
  /** Length of the whole list; absent for a chain read, and for runs and triggers, which are not counted. */
  total?: number;
}

/** The labels in a read. Only events contain labels: the chain's views do not. */
export interface LabelsBySource {
  http: { name: string; description: string };
  indexer: { name: string; description: string };
  chain: { name?: never; description?: never };
}

/** The labels that the client's reads have. */
export type Labels<client extends BareClient> = LabelsBySource[client['reads']];

/** A list read from any source: `undefined` for values that the chain's views do not have. */
export interface ListSource<Item, Path extends GetPath> {
  path: Path;
  /** Name of the list at the indexer. */
  indexed: string;
  /** Lists only the items of this group. */
  groupId?: bigint | undefined;
  fromWire: (item: GetReplyOf<Path> extends readonly (infer One)[] ? One : never) => Item;
  fromChain: (window: ChainWindow) => Promise<{ items: Item[]; hasNextPage: boolean }>;
}

/** A page to read from the chain. */
export interface ChainWindow {
  /** Hash that names the account. */
  account: bigint;
  pageNumber: bigint;
  pageSize: bigint;
  /** Reads several views at one block. */
  ask: <const Asked extends readonly View[]>(
    views: Asked,
  ) => Promise<{ [index in keyof Asked]: ResultOf<Asked[index]> }>;
}

type ViewName = ContractFunctionName<typeof accountConfigAbi, 'view'>;
/** Builds a call of a view. */
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

/** Returns the page as query parameters. Throws for invalid values. */
export function pageQuery({ pageNumber = 0, pageSize = 100 }: PageParameters): PageQuery {
  if (!Number.isSafeInteger(pageNumber) || pageNumber < 0)
    throw new LatchkeyError('configuration', 'pageNumber must be an integer from 0');
  if (!Number.isSafeInteger(pageSize) || pageSize < 1 || pageSize > 1_000)
    throw new LatchkeyError('configuration', 'pageSize must be an integer from 1 to 1,000');
  return { page_number: pageNumber, page_size: pageSize };
}

const nextPageOf = <Parameters extends PageParameters>(parameters: Parameters): Parameters => ({
  ...parameters,
  pageNumber: (parameters.pageNumber ?? 0) + 1,
});

/** Returns the requested page from a reply whose header has the length of the list. */
export function toPage<Wire, Item, Parameters extends PageParameters>(
  { json, headers }: Reply<readonly Wire[]>,
  parameters: Parameters,
  fromWire: (item: Wire) => Item,
): Page<Item, Parameters> {
  const { page_number: pageNumber, page_size: pageSize } = pageQuery(parameters);
  const total = Number(headers.get('x-total-count') ?? 0);
  return {
    items: json.map(fromWire),
    nextPage: (pageNumber + 1) * pageSize < total ? nextPageOf(parameters) : undefined,
    total,
  };
}

export async function listPage<Item, Path extends GetPath, Parameters extends PageParameters>(
  client: BareClient,
  source: ListSource<Item, Path>,
  parameters: Parameters,
  options: CallOptions | undefined,
): Promise<Page<Item, Parameters>> {
  const page = pageQuery(parameters);
  const deadline = defaultDeadline(client, options);
  if (client.mode === 'chainSecured' && client.reads === 'chain') {
    const { items, hasNextPage } = await source.fromChain({
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
    return { items, nextPage: hasNextPage ? nextPageOf(parameters) : undefined };
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
  return toPage(reply as Reply<never[]>, parameters, source.fromWire);
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
      buildUrl(indexerUrl, path, { ...own, ...min }),
      { method: 'GET', headers: {} },
      { deadline },
    );
  };
  const { internals } = client;
  const wallet = internals.wallet.account.address;
  if (internals.masterHash === undefined) {
    const { json } = await ask(`/accounts/${word(walletIdentity(wallet))}`, {});
    const account = json as { api_key_hash: Hex; admin_wallet_address: Address; managed: boolean };
    // The identity of a former admin wallet still resolves to the account that it transferred.
    if (account.managed || !isAddressEqual(account.admin_wallet_address, wallet))
      throw new HttpError('not_found', 'the wallet owns no account: call newAccount first', { status: 404 });
    internals.masterHash = BigInt(account.api_key_hash);
  }
  return ask(`/accounts/${word(internals.masterHash)}/${list}`, query);
}

/** Whether an index after this window exists. */
export function endsBefore({ pageNumber, pageSize }: ChainWindow, size: bigint): boolean {
  return (pageNumber + 1n) * pageSize < size;
}
