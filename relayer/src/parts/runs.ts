/** Runs: their admission, their code, the runners that run them, and their receipts. */
import type { Chain } from '@latchkey/chain/chain';
import { type Deployment, LOCAL_CHAIN_ID, RECEIPT_SIGNER_CONFIGURATION } from '@latchkey/protocol';
import { defaultLimits, type RunLimits } from '@latchkey/runner-protocol';
import { createLocks, type Locks, openLockSession } from '@latchkey/service/locks';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type ActionSource, createActionSource } from '../action-source.ts';
import { createTakeAllowance, type TakeAllowance } from '../allowances/allowances.ts';
import type { RecentKey } from '../auth/key-registry.ts';
import { LEASE_SEC } from '../billing/run-rows.ts';
import { createRuns, type Runs } from '../billing/runs.ts';
import type { AccountConfig } from '../chain/account-config.ts';
import type { Config } from '../config.ts';
import { type ActionCodes, createActionCodes } from '../db/action-codes.ts';
import { createStoredCodes, type StoredCodes } from '../db/stored-codes.ts';
import type { IndexerClient } from '../indexer-client.ts';
import { type ActionKeys, createActionKeys } from '../keys/action-keys.ts';
import { createRunCounter } from '../metrics.ts';
import { type Admission, createAdmission } from '../runners/admission.ts';
import { createReceipts, type Receipts } from '../runners/receipts.ts';
import { createRunStops, type RunStops } from '../runners/run-stops.ts';
import { connectRunners, type Runners } from '../runners/runners.ts';
import { type Approvals, createApprovals } from '../runs/approvals.ts';
import type { Keys } from './keys.ts';
import type { Storage } from './storage.ts';
import type { Every } from './timers.ts';

const LOST_RUNS_MS = 5_000;
const SWEEP_MS = 3_600_000;
/** Entries of the cache. */
const MAX_PERMITTED = 50_000;

export type RunParts = {
  runs: Runs;
  runners: Runners;
  runLimits: RunLimits;
  runStops: RunStops;
  /** Held by runs with a `concurrency_key`. */
  runLocks: Locks;
  admission: Admission;
  /**
   * Keys and actions (`<hash> <cid>`) that the contract permitted, each with the lookup of the key before the answer. An entry is
   * valid while the key registry returns the same lookup.
   */
  permittedRuns: LRUCache<string, RecentKey>;
  actionCodes: ActionCodes;
  storedCodes: StoredCodes;
  actionSource: ActionSource;
  actionKeys: ActionKeys;
  receipts: Receipts;
  approvals: Approvals;
  takeAllowance: TakeAllowance;
  countRun: ReturnType<typeof createRunCounter>;
};

type Needs = {
  chain: Chain;
  storage: Storage;
  deployment: Deployment;
  views: Pick<AccountConfig, 'address' | 'chainId' | 'read'>;
  indexer: Pick<IndexerClient, 'registeredCids'>;
  keys: Keys;
  log: Logger;
  metrics: Registry;
};

export async function openRuns(
  config: Config,
  { chain, storage: { db, processes }, deployment, views, indexer, keys, log, metrics }: Needs,
  resources: AsyncDisposableStack,
  every: Every,
): Promise<RunParts> {
  const { rootSecrets, keyNodes } = keys;
  const runLimits = { ...defaultLimits, ...config.runs.limits };
  const runners = connectRunners({
    urls: config.runners.urls,
    token: config.secrets.runnerToken,
    memoryLimitMb: runLimits.memoryLimitMb,
    log,
    onHostError: (err, { cid }) => log.error({ err, cid }, 'failed to run an action: host error'),
    onWrongAnswer: (node) => keyNodes.distrust(node),
  });
  resources.defer(runners.close);
  keys.attestRunners(runners);

  const runs = createRuns(db, rootSecrets.sealer('run-outcome'), log);
  // After an outage of the database, the processes of the runs get the time to record what they did.
  const releaseLost = async () => void (processes.calmMs() > 1_000 * LEASE_SEC && (await runs.releaseLost()));
  every(LOST_RUNS_MS, 'release lost runs', releaseLost, true);
  const actionCodes = createActionCodes(db, config.codes);
  every(SWEEP_MS, 'delete unused action code', async () => {
    const head = await chain.refreshHead();
    await actionCodes.sweep((cids) => indexer.registeredCids(cids, head));
  });
  const storedCodes = createStoredCodes(db, rootSecrets.sealer('stored-code'));
  const { receiptSigningKey: privateKey } = rootSecrets;
  const signedFor = { chainId: deployment.chainId, contractAddress: deployment.address };
  const receipts = createReceipts({ ...signedFor, privateKey, head: chain.head });
  const published = await views.read('nodeConfigurationValue', [RECEIPT_SIGNER_CONFIGURATION]);
  if (published !== receipts.signer)
    log[deployment.chainId === LOCAL_CHAIN_ID ? 'info' : 'warn'](
      { receipt_signer: receipts.signer, published },
      `set the node configuration ${RECEIPT_SIGNER_CONFIGURATION} to this signer: receipts of runs are not trusted without it`,
    );
  return {
    runs,
    runners,
    runLimits,
    runStops: createRunStops(db, processes, log),
    runLocks: openRunLocks(config, log, resources),
    admission: createAdmission(config.runs),
    permittedRuns: new LRUCache({ max: MAX_PERMITTED }),
    actionCodes,
    storedCodes,
    actionSource: createActionSource(actionCodes, storedCodes, {
      gatewayUrl: config.ipfsGatewayUrl,
      maxBytes: runLimits.maxCodeBytes,
      onDamaged: (cid) => log.error({ cid }, 'the stored code of an action does not have its CID'),
    }),
    actionKeys: createActionKeys({ db, runners, log }),
    receipts,
    takeAllowance: createTakeAllowance({ db, deployment: signedFor, signHash: receipts.signHash }),
    approvals: createApprovals({ db, sealer: rootSecrets.sealer('approval-input'), contract: views }),
    countRun: createRunCounter(metrics),
  };
}

function openRunLocks({ secrets }: Config, log: Logger, resources: AsyncDisposableStack): Locks {
  const locks = createLocks(
    (onEnd) => openLockSession(secrets.database.url, 'relayer', onEnd),
    (err) => log.warn({ err }, 'failed to take the locks of runs'),
  );
  resources.defer(locks.close);
  return locks;
}
