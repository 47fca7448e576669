/** The statements about transactions of wallets on a filled database: none reads what it does not return. */
import { createWalletStore } from '@latchkey/outbox';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expectNarrow, watchPlans } from '@latchkey/testing/plans';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { fillWalletTransactions, keyOf, walletOf } from '../../test/filled.ts';
import * as schema from './schema.ts';
import { hashText } from './text.ts';
import {
  countPending,
  listChanges,
  listWalletTransactions,
  walletTransactionStatuses,
} from './wallet-transaction-records.ts';

const COUNT = 10_000;
const CHAIN_ID = 31_337;
/** Nearly all transactions of the first succeeded, nearly all of the second failed. */
const accounts = [0x1000n, 0x2000n].map(hashText);
const BIG = ['wallet_transactions'];

const database = disposeAfterAll(await openTestDatabase());
const watched = disposeAfterAll(watchPlans(database.url, schema));
beforeAll(async () => {
  for (const [index, account] of accounts.entries())
    await fillWalletTransactions(database.db, {
      account,
      count: COUNT,
      failedEvery: index === 0 ? COUNT / 4 : 1,
    });
}, 120_000);

const expectNarrowPlans = async (work: () => Promise<unknown>) => {
  const plans = await watched.plansOf(work);
  expect(plans.length).toBeGreaterThan(0);
  expectNarrow(plans, BIG);
};

function* filters(account: string) {
  for (const key of [undefined, 0, 9])
    for (const wallet of [undefined, walletOf(account, 0), walletOf(account, 9)])
      for (const status of [undefined, ...walletTransactionStatuses]) yield { key, wallet, status };
}

describe.each(['before', 'after'])('%s the statistics of the table are known', (when) => {
  beforeAll(async () => {
    if (when === 'after') await database.db.execute(sql`analyze`);
  });

  test.each(accounts)('lists with every filter, of the account %s', async (account) => {
    for (const { key, ...filter } of filters(account)) {
      const usageKey = key === undefined ? undefined : keyOf(account, key);
      for (const [by, asked] of [
        [usageKey, undefined],
        [undefined, usageKey],
      ])
        await expectNarrowPlans(() =>
          listWalletTransactions(watched.db, { account, key: by }, { ...filter, usageKey: asked }, 20),
        );
    }
  });

  test.each(accounts)('the page after one, and changes, of the account %s', async (account) => {
    const owner = { account, key: undefined };
    const all = await listWalletTransactions(database.db, owner, {}, COUNT / 2);
    const before = all.at(-1)?.id;
    for (const wallet of [undefined, walletOf(account, 0)])
      await expectNarrowPlans(() => listWalletTransactions(watched.db, owner, { wallet, before }, 20));
    await expectNarrowPlans(() => listChanges(watched.db, owner, undefined));
    await expectNarrowPlans(() => listChanges(watched.db, owner, new Date(Date.now() - 20_000)));
  });

  test('the outbox reads pending and recent transactions, and a send those of its wallet', async () => {
    const limits = { maxPendingPerWallet: 32, maxPendingPerAccount: 128 };
    const [account = ''] = accounts;
    const store = createWalletStore(watched.db, CHAIN_ID, limits);
    await expectNarrowPlans(() => store.pending(0));
    await expectNarrowPlans(() => store.lastBlock());
    await expectNarrowPlans(() => store.blocksFrom(BigInt(COUNT - 64)));
    await expectNarrowPlans(() => countPending(watched.db));
    const wallet = walletOf(account, 0);
    const turn = (inChain: number) =>
      sql`select * from take_wallet_turn(${CHAIN_ID}::bigint, ${wallet}, 'process', ${inChain}, ${account}, 32, 128)`;
    await expectNarrowPlans(() => watched.db.execute(turn(5)));
    // A later transaction waits, and nothing has changed for some seconds.
    await database.db.execute(turn(3));
    await database.db.execute(
      sql`update wallet_transactions set created_at = now() - interval '31 s' where wallet = ${wallet} and status = 'pending'`,
    );
    await database.db.execute(
      sql`update wallet_nonces set in_chain_at = now() - interval '4 s', settled_at = now() - interval '4 s' where wallet = ${wallet}`,
    );
    await expectNarrowPlans(() => watched.db.execute(turn(3)));
  });
});
