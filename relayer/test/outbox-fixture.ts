/** An outbox with its own chain: anvil, the real contract, a database. */

import { type Chain, connectChain } from '@latchkey/chain/chain';
import {
  createStore,
  type Outbox,
  type OutboxOptions,
  openOutbox,
  type Store,
  type StoredTransaction,
} from '@latchkey/outbox';
import { apiKeyHash } from '@latchkey/protocol';
import { createLogger } from '@latchkey/service/logger';
import { localSigner } from '@latchkey/service/secp256k1';
import { createActivity } from '@latchkey/service/turns';
import { type Chain as Anvil, deploy, startChain } from '@latchkey/testing/chain';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { type Address, type Hex, keccak256 } from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { encodeWrite } from '../src/chain/account-config.ts';
import type { Database } from '../src/db/database.ts';
import { openTestDatabase } from './database.ts';

export const ETHER = 10n ** 18n;

export type OutboxFixture = AsyncDisposable & {
  anvil: Anvil;
  contract: Address;
  keys: Hex[];
  addresses: Address[];
  db: Database;
  store: Store;
  chain: Chain;
  /** Settings of a command on the same chain and database. */
  settings: Record<string, string>;
  /** Arguments of the settled transactions that succeeded. */
  mined: { account: bigint; block: bigint }[];
  /** Creates one more process with the same payers and database, which is not started. */
  payers: (options?: Partial<OutboxOptions>) => Outbox;
};

export async function openOutboxFixture({ payerCount = 3 } = {}): Promise<OutboxFixture> {
  const stack = new AsyncDisposableStack();
  try {
    const anvil = stack.use(await startChain());
    const keys = Array.from({ length: payerCount }, () => generatePrivateKey());
    const addresses = keys.map((key) => privateKeyToAddress(key));
    for (const address of addresses) await anvil.client.setBalance({ address, value: 100n * ETHER });
    const deployments = stack.use(temporaryDirectory());
    const contract = await deploy(anvil, deployments.path, addresses);
    const database = await openTestDatabase();
    stack.defer(database.dispose);
    const chain = connectChain({
      chainId: 31_337,
      name: 'test',
      token: 'ETH',
      rpcUrls: [anvil.url],
      privateRpcUrl: undefined,
      wsUrls: [],
      pollingIntervalMs: 100,
    });
    stack.defer(chain.close);
    const store = createStore(database.db);
    const mined: OutboxFixture['mined'] = [];
    const payers: OutboxFixture['payers'] = (options) => {
      const made = openOutbox({
        chain,
        store,
        signers: keys.map(localSigner),
        contract,
        activity: createActivity(),
        onSettled: ({ account }, { status, blockNumber: block }) => {
          if (status === 'success') mined.push({ account, block });
        },
        log: createLogger({ name: 'test', level: 'silent' }),
        maxPending: 100,
        manyPerSecond: 20,
        maxWriteGas: 3_000_000,
        timeoutMs: 20_000,
        repriceAfterMs: 60_000,
        confirmations: 1,
        ...options,
      });
      stack.defer(made.close);
      return made;
    };
    return {
      anvil,
      contract,
      keys,
      addresses,
      db: database.db,
      store,
      chain,
      settings: { RPC_URL: anvil.url, DEPLOYMENTS_DIR: deployments.path, DATABASE_URL: database.url },
      mined,
      payers,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** Returns a call that creates an account. The same name gives the same call. */
export function accountCall(name: string, idempotencyId?: string) {
  const account = apiKeyHash(name);
  const wallet: Address = `0x${(account >> 96n).toString(16).padStart(40, '0')}`;
  const data = encodeWrite('newAccount', [account, true, name, '', wallet]);
  return { account, idempotencyId, data, payment: undefined, capsChange: undefined };
}

/** Stores a transaction as a process does before it dies. */
export async function storeOnly(
  fixture: OutboxFixture,
  payer: number,
  name: string,
): Promise<StoredTransaction> {
  const account = privateKeyToAccount(fixture.keys[payer] as Hex);
  const call = accountCall(name);
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
  const sign = async (nonce: number) => {
    const transaction = { chainId: 31_337, to: fixture.contract, nonce, data: call.data, gas: 500_000n };
    const raw = await account.signTransaction({ type: 'eip1559', ...transaction, ...fees });
    return { raw, hash: keccak256(raw) };
  };
  const [stored] = await fixture.store.add(account.address, [{ ...call, ...fees, gas: 500_000n, sign }]);
  if (stored?.status !== 'fulfilled') throw stored?.reason;
  return stored.value;
}
