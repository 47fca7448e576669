/** Transactions of wallets. */
import type { WalletTransaction } from '@latchkey/sdk';
import { command, showPage, type Topic } from '../command.ts';
import { untilInterrupted } from '../interrupt.ts';
import * as options from '../options.ts';
import { oneOf, parseHash, parseWallet } from '../parse.ts';
import { fields, table } from '../text.ts';

const parseStatus = oneOf('queued', 'broadcast', 'mined', 'confirmed', 'replaced', 'failed');

const showTransaction = ({ hashes, data, ...transaction }: WalletTransaction): string =>
  fields({ ...transaction, usageKeyHash: undefined, hashes: hashes.join(', '), data });

export const transactions: Topic = {
  summary: 'transactions of wallets',
  commands: {
    list: command({
      summary: 'lists the transactions, the newest first',
      options: {
        wallet: { value: 'address', parse: parseWallet, help: 'only of this wallet' },
        key: { value: 'hash', parse: parseHash, help: 'only of runs of this usage key' },
        status: {
          value: 'status',
          parse: parseStatus,
          help: 'queued, broadcast, mined, confirmed, replaced or failed',
        },
        pageSize: options.pages.pageSize,
        before: { value: 'id', help: 'transactions older than this one' },
      },
      examples: ['transactions list', 'transactions list --status failed'],
      run: async (session, { key, ...filter }) =>
        (await session.client()).listTransactions({ ...filter, usageKey: key }),
      show: (page) =>
        showPage(page, (items) =>
          table(items, {
            TRANSACTION: ({ id }) => id,
            CHAIN: ({ chainId }) => chainId,
            WALLET: ({ wallet }) => wallet,
            NONCE: ({ nonce }) => nonce,
            STATUS: ({ status }) => status,
            HASH: ({ hash }) => hash,
          }),
        ),
    }),
    show: command({
      summary: 'shows a transaction',
      arguments: { id: options.id },
      examples: ['transactions show 018f…'],
      run: async (session, { id }) => (await session.client()).getTransaction({ id }),
      show: showTransaction,
    }),
    cancel: command({
      summary: 'cancels a transaction that is not mined, by one with its nonce that the wallet pays',
      arguments: { id: options.id },
      examples: ['transactions cancel 018f…'],
      run: async (session, { id }) => (await session.client()).cancelTransaction({ id }),
      show: showTransaction,
    }),
    tail: command({
      summary: 'prints pending transactions and each change, until Ctrl-C',
      examples: ['transactions tail --json'],
      run: async (session) => {
        const client = await session.client();
        const onTransaction = (one: WalletTransaction): void => {
          const chain = `chain ${one.chainId}  nonce ${one.nonce}`;
          const text = `${one.changedAt.toISOString()}  ${one.id}  ${chain}  ${one.status}  ${one.hash}`;
          session.printNext(one, text);
        };
        await untilInterrupted(0, async (signal) => {
          await client.followTransactions({ onTransaction }, { signal });
        });
      },
    }),
  },
};
