import type { Chain } from '@latchkey/chain/chain';
import type { Outbox } from '@latchkey/outbox';
import { createHealthCheck, DegradedError, type HealthCheck, UnhealthyError } from '@latchkey/service/health';
import type { OpenDatabase } from './db/database.ts';
import type { IndexerClient } from './indexer-client.ts';
import type { KeyNodes } from './keys/key-nodes.ts';
import type { Runners } from './runners/runners.ts';

export type RelayerPart = 'chain' | 'indexer' | 'database' | 'runtime' | 'payers' | 'keys';

type Parts = {
  chain: Pick<Chain, 'client' | 'chainId' | 'nodes' | 'refreshHead'>;
  database: Pick<OpenDatabase, 'ping'>;
  indexer: Pick<IndexerClient, 'ping'>;
  payers: Pick<Outbox, 'status'>;
  runners: Pick<Runners, 'load' | 'missing'>;
  keyNodes: Pick<KeyNodes, 'ping'> | undefined;
};

export function createRelayerHealthCheck({
  chain,
  database,
  indexer,
  payers,
  runners,
  keyNodes,
}: Parts): HealthCheck<RelayerPart> {
  return createHealthCheck({
    keys: keyNodes?.ping ?? (async () => {}),
    async chain() {
      await chain.refreshHead();
      const nodes = chain.nodes();
      const faulty = nodes.filter(({ fault }) => fault !== undefined).length;
      if (faulty > 0) throw new DegradedError(`${faulty} of ${nodes.length} RPC nodes failed`);
    },
    indexer: indexer.ping,
    database: database.ping,
    async runtime() {
      const { idle, starting, running } = runners.load();
      const missing = runners.missing().length;
      const fault = missing === 1 ? 'a runner is not connected' : `${missing} runners are not connected`;
      if (idle + starting + running === 0)
        throw new UnhealthyError(missing > 0 ? fault : 'no action process is running');
      if (missing > 0) throw new DegradedError(fault);
    },
    async payers() {
      const unknown = payers.status().filter(({ isApiPayer }) => !isApiPayer);
      if (unknown.length > 0)
        throw new UnhealthyError(
          `not an api payer of the contract: ${unknown.map(({ address }) => address).join(', ')}`,
        );
      const balances = await Promise.all(
        payers.status().map(async ({ address }) => ({
          address,
          balance: await chain.client.getBalance({ address }),
        })),
      );
      const empty = balances.filter(({ balance }) => balance === 0n);
      if (empty.length > 0)
        throw new UnhealthyError(`no funds: ${empty.map(({ address }) => address).join(', ')}`);
    },
  });
}
