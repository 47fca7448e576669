/** Outboxes of wallets on their own chain: anvil and a database. */
import { randomUUID } from 'node:crypto';
import { type Chain, connectChain } from '@latchkey/chain/chain';
import {
  createWalletStore,
  openWalletOutbox,
  type SignedForms,
  type ToSign,
  type WalletCall,
  type WalletOutbox,
  type WalletOutboxOptions,
  type WalletStore,
  walletTransactions,
} from '@latchkey/outbox';
import { createLogger } from '@latchkey/service/logger';
import { createActivity, createTurns } from '@latchkey/service/turns';
import { type Chain as Anvil, startChain } from '@latchkey/testing/chain';
import { rpcProxy } from '@latchkey/testing/rpc-proxy';
import { eq } from 'drizzle-orm';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Database } from '../src/db/database.ts';
import { openTestDatabase } from './database.ts';

export const CHAIN_ID = 31_337;
const ETHER = 10n ** 18n;
const limits = { maxPendingPerWallet: 16, maxPendingPerAccount: 20 };

export type Sign = (toSign: ToSign) => Promise<SignedForms>;
/** One process of the relayer. */
export type Process = WalletOutbox & { store: WalletStore; proxy: Awaited<ReturnType<typeof rpcProxy>> };

export type WalletFixture = AsyncDisposable & {
  anvil: Anvil;
  db: Database;
  /** Starts one more process on the same chain and database. */
  start: (options?: Partial<WalletOutboxOptions>) => Promise<Process>;
  /** Returns a wallet with funds. */
  wallet: (ether?: bigint) => Promise<PrivateKeyAccount>;
  row: (id: string) => Promise<typeof walletTransactions.$inferSelect>;
};

/** Starts a process on a chain and a database. */
export async function startProcess(
  { db, rpcUrl }: { db: Database; rpcUrl: string },
  stack: AsyncDisposableStack,
  options?: Partial<WalletOutboxOptions>,
): Promise<Process> {
  const proxy = stack.use(await rpcProxy(rpcUrl));
  const store = createWalletStore(db, CHAIN_ID, limits);
  const turns = { inProgress: 64, few: 2, manyPerSecond: 1_000, waiting: 256, waitingPerAccount: 64 };
  const outbox = openWalletOutbox({
    chain: connect(proxy.url, stack),
    store,
    takeTurn: createTurns(turns, createActivity<bigint>()),
    repriceAfterMs: 60_000,
    confirmations: 1,
    log: createLogger({ name: 'test', level: 'silent' }),
    ...options,
  });
  stack.defer(outbox.close);
  await outbox.start();
  return { ...outbox, store, proxy };
}

function connect(url: string, stack: AsyncDisposableStack): Chain {
  const chain = connectChain({
    chainId: CHAIN_ID,
    name: 'test',
    token: 'ETH',
    rpcUrls: [url],
    privateRpcUrl: undefined,
    wsUrls: [],
    pollingIntervalMs: 100,
  });
  stack.defer(chain.close);
  return chain;
}

export async function openWalletFixture(): Promise<WalletFixture> {
  const stack = new AsyncDisposableStack();
  const anvil = stack.use(await startChain());
  const { db, dispose } = await openTestDatabase();
  stack.defer(dispose);
  return {
    anvil,
    db,
    start: (options) => startProcess({ db, rpcUrl: anvil.url }, stack, options),
    async wallet(ether = 100n) {
      const account = privateKeyToAccount(generatePrivateKey());
      await anvil.client.setBalance({ address: account.address, value: ether * ETHER });
      return account;
    },
    async row(id: string) {
      const [row] = await db.select().from(walletTransactions).where(eq(walletTransactions.id, id));
      if (!row) throw new Error(`no transaction ${id}`);
      return row;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Returns a transfer of one wei, unless it says otherwise. */
export const callOf = (wallet: PrivateKeyAccount, call: Partial<WalletCall> = {}): WalletCall => ({
  account: 1n,
  usageKey: 2n,
  runId: randomUUID(),
  cid: 'cid',
  wallet: wallet.address,
  to: '0x00000000000000000000000000000000000000AA',
  value: 1n,
  data: '0x',
  gas: undefined,
  maxFeePerGas: undefined,
  idempotencyId: undefined,
  ...call,
});

/** Returns a run that signs a call as it is asked. */
export const signer =
  (wallet: PrivateKeyAccount, { to, value, data }: WalletCall): Sign =>
  async ({ nonce, gas, forms, cancel, cancelGas }) => {
    const common = { type: 'eip1559', chainId: CHAIN_ID, nonce } as const;
    return {
      forms: await Promise.all(
        forms.map((fees) => wallet.signTransaction({ ...common, to, value, data, gas, ...fees })),
      ),
      cancel: await wallet.signTransaction({
        ...common,
        to: wallet.address,
        value: 0n,
        gas: cancelGas,
        ...cancel,
      }),
    };
  };
