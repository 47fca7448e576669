/** Everything that an account has in the contract, at one block. */
import type { Chain } from '@latchkey/chain/chain';
import { ChainUnavailableError, toChainError } from '@latchkey/chain/errors';
import { type Address, numberToHex } from 'viem';
import type { IndexerClient, ListName } from './indexer-client.ts';

const PAGE_SIZE = 1_000;
/** An account that changes during each of these readings is written all the time. */
const MAX_READINGS = 3;

type AccountLists = { blockNumber: bigint; lists: Record<ListName, unknown[]> };

/** Resolves to whole lists of an account at one block, which is `minBlock` or later. */
export type ReadAccountLists = (account: bigint, minBlock: bigint) => Promise<AccountLists>;

/**
 * The pages of the indexer can be of different blocks: the account must have no event after the block of the first page. Otherwise all
 * pages are read again.
 */
export function createAccountLists({
  indexer,
  chain,
  contract,
}: {
  indexer: Pick<IndexerClient, 'list'>;
  chain: Pick<Chain, 'client' | 'refreshHead'>;
  contract: Address;
}): ReadAccountLists {
  const readAll = async (account: bigint, list: ListName, minBlock: bigint): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (let page_number = 0; ; page_number++) {
      const query = { page_number, page_size: PAGE_SIZE };
      const { items, total } = await indexer.list(account, list, query, minBlock);
      found.push(...items);
      if ((page_number + 1) * PAGE_SIZE >= Number(total)) return found;
    }
  };
  const hasChanged = async (account: bigint, since: bigint): Promise<boolean> => {
    if ((await chain.refreshHead()) <= since) return false;
    // Every event of an account has its master hash as the first indexed value.
    const topics = [null, numberToHex(account, { size: 32 })];
    const filter = {
      address: contract,
      fromBlock: numberToHex(since + 1n),
      toBlock: 'latest',
      topics,
    } as const;
    const logs = await chain.client
      .request({ method: 'eth_getLogs', params: [filter] })
      .catch((error: unknown) => {
        throw toChainError(error);
      });
    return logs.length > 0;
  };
  return async (account, minBlock) => {
    for (let reading = 0; reading < MAX_READINGS; reading++) {
      const first = await indexer.list(account, 'groups', { page_number: 0, page_size: 1 }, minBlock);
      const blockNumber = BigInt(first.blockNumber);
      const all = (list: ListName) => readAll(account, list, blockNumber);
      const [keys, groups, wallets, actions] = await Promise.all([
        all('api-keys'),
        all('groups'),
        all('wallets'),
        all('actions'),
      ]);
      const lists = { 'api-keys': keys, groups, wallets, actions };
      if (!(await hasChanged(account, blockNumber))) return { blockNumber, lists };
    }
    throw new ChainUnavailableError('the account changed during each reading');
  };
}
