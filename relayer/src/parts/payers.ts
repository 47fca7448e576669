/** Writes through the api payers, and what they change in the memory of this process. */
import type { Chain } from '@latchkey/chain/chain';
import { createStore, type Outbox, openOutbox } from '@latchkey/outbox';
import type { Deployment } from '@latchkey/protocol';
import type { Activity } from '@latchkey/service/turns';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { AccountChanges } from '../chain/account-changes.ts';
import type { AccountConfig } from '../chain/account-config.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { createRefillGauge, createRepriceCounter } from '../metrics.ts';
import { openSigners } from '../signers/open-signers.ts';
import type { Every } from './timers.ts';

const REFRESH_MS = 15_000;
const RECHECK_MS = 10_000;
const GAS_REFRESH_MS = 10_000;

type Parts = {
  chain: Chain;
  db: Database;
  deployment: Deployment;
  views: Pick<AccountConfig, 'read'>;
  changes: AccountChanges;
  activity: Activity<bigint>;
  log: Logger;
  metrics: Registry;
};

export async function openPayers(
  config: Config,
  { chain, db, deployment, views, changes, activity, log, metrics }: Parts,
  resources: AsyncDisposableStack,
  every: Every,
): Promise<Outbox> {
  const payers = openOutbox({
    ...config.payers,
    activity,
    chain,
    store: createStore(db),
    signers: await openSigners(config.secrets),
    contract: deployment.address,
    log,
    onSettled: changes.settled,
    onRepriced: createRepriceCounter(metrics),
  });
  const refresh = async () => payers.setApiPayers(await views.read('api_payers', []));
  await refresh();
  resources.defer(payers.close);
  await payers.start();
  const contract = deployment.address;
  chain.watch(contract, changes.follow({ chain, contract, db, log }));
  every(REFRESH_MS, 'refresh api payers', refresh);
  every(RECHECK_MS, 'recheck transactions', payers.recheck);
  const { refill } = config.payers;
  if (refill) {
    const showRefillLimit = createRefillGauge(metrics);
    every(REFRESH_MS, 'refill payers', async () => {
      const admin = await views.read('adminApiPayerAccount', []);
      showRefillLimit(await payers.refill(db, admin, refill));
    });
  }
  every(GAS_REFRESH_MS, 'refresh fees and balances', payers.refreshGas, true);
  return payers;
}
