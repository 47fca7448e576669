import { sharedFor } from '@latchkey/http';
import type { Chain } from './chain/chain.ts';
import type { Payers } from './chain/payers.ts';
import type { OpenDatabase } from './db/database.ts';
import type { Indexer } from './indexer.ts';
import type { Runtime } from './runtime/runtime.ts';

const DEADLINE_MS = 3_000;
const LIFETIME_MS = 1_000;

/** `detail` says what is wrong and holds no secret: it is shown to everybody. */
export type PartHealth = { ok: boolean; detail?: string };
export type HealthCheck = () => Promise<
  Record<'chain' | 'indexer' | 'database' | 'runtime' | 'payers', PartHealth>
>;

type Parts = {
  chain: Pick<Chain, 'client' | 'chainId' | 'refreshHead'>;
  database: Pick<OpenDatabase, 'ping'>;
  indexer: Pick<Indexer, 'ping'>;
  payers: Pick<Payers, 'status'>;
  runtime: Pick<Runtime, 'stats'>;
};

/** Asks every part at once, once a second at most however many ask. */
export function createHealthCheck({ chain, database, indexer, payers, runtime }: Parts): HealthCheck {
  const usable = async (): Promise<void> => {
    const unknown = payers.status().filter(({ isApiPayer }) => !isApiPayer);
    if (unknown.length > 0)
      throw new UnhealthyError(`no api payer: ${unknown.map(({ address }) => address).join(', ')}`);
    const balances = await Promise.all(
      payers.status().map(async ({ address }) => ({
        address,
        balance: await chain.client.getBalance({ address }),
      })),
    );
    const empty = balances.filter(({ balance }) => balance === 0n);
    if (empty.length > 0)
      throw new UnhealthyError(`no funds: ${empty.map(({ address }) => address).join(', ')}`);
  };
  const started = async (): Promise<void> => {
    const { idle, starting, running } = await runtime.stats();
    if (idle + starting + running === 0) throw new UnhealthyError('no process');
  };
  return sharedFor(LIFETIME_MS, async () => {
    const [chainHealth, indexerHealth, databaseHealth, runtimeHealth, payersHealth] = await Promise.all([
      judge(chain.refreshHead()),
      judge(indexer.ping()),
      judge(database.ping()),
      judge(started()),
      judge(usable()),
    ]);
    return {
      chain: chainHealth,
      indexer: indexerHealth,
      database: databaseHealth,
      runtime: runtimeHealth,
      payers: payersHealth,
    };
  });
}

/** An error whose text may be shown. */
class UnhealthyError extends Error {}

async function judge(check: Promise<unknown>): Promise<PartHealth> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UnhealthyError('does not answer')), DEADLINE_MS);
  });
  try {
    await Promise.race([check, deadline]);
    return { ok: true };
  } catch (error) {
    return { ok: false, detail: error instanceof UnhealthyError ? error.message : 'does not work' };
  } finally {
    clearTimeout(timer);
  }
}
