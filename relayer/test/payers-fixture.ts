/** Payers with their own chain: anvil, the real contract, a database. */

import { apiKeyHash } from '@latchkey/protocol';
import { createLogger } from '@latchkey/service/logger';
import { createActivity } from '@latchkey/service/turns';
import { type Chain as Anvil, deploy, startChain } from '@latchkey/testing/chain';
import { temporaryDirectory } from '@latchkey/testing/processes';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { encodeWrite } from '../src/chain/account-config.ts';
import { type Chain, connectChain } from '../src/chain/chain.ts';
import { createOutbox, type Outbox } from '../src/chain/outbox.ts';
import { createPayers, type Payers, type PayersOptions } from '../src/chain/payers.ts';
import type { Database } from '../src/db/database.ts';
import { openTestDatabase } from './database.ts';

export const ETHER = 10n ** 18n;

export type PayersFixture = AsyncDisposable & {
  anvil: Anvil;
  contract: Address;
  keys: Hex[];
  addresses: Address[];
  db: Database;
  outbox: Outbox;
  chain: Chain;
  /** Arguments of the calls of `onMined`. */
  mined: { account: bigint; block: bigint }[];
  /** Creates one more process with the same payers and database; not started. */
  payers: (options?: Partial<PayersOptions>) => Payers;
};

export async function openPayersFixture({ payerCount = 3 } = {}): Promise<PayersFixture> {
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
      rpcUrl: anvil.url,
      privateRpcUrl: undefined,
      wsUrl: undefined,
      pollingIntervalMs: 100,
    });
    stack.defer(chain.close);
    const outbox = createOutbox(database.db);
    const mined: PayersFixture['mined'] = [];
    const payers: PayersFixture['payers'] = (options) => {
      const made = createPayers({
        chain,
        outbox,
        privateKeys: keys,
        contract,
        activity: createActivity(),
        onMined: (account, block) => {
          mined.push({ account, block });
        },
        log: createLogger({ name: 'test', level: 'silent' }),
        maxPending: 100,
        manyPerSecond: 20,
        maxWriteGas: 3_000_000,
        onGas: () => {},
        timeoutMs: 20_000,
        repriceAfterMs: 60_000,
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
      outbox,
      chain,
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
