/** The database, and the messages of several relayers on it to each other. */
import { openPrivateDirectory } from '@latchkey/service/private-directory';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { createAccountHeads } from '../db/account-heads.ts';
import { openDatabase } from '../db/database.ts';
import { joinProcesses } from '../db/processes.ts';
import { sweep } from '../db/retention.ts';
import type { Every } from './timers.ts';

const MEMBERSHIP_RENEWAL_MS = 500;
const SWEEP_MS = 3_600_000;

export type Storage = Awaited<ReturnType<typeof openStorage>>;

export async function openStorage(
  config: Config,
  log: Logger,
  resources: AsyncDisposableStack,
  every: Every,
) {
  if (config.secrets.rootSecret === undefined)
    openPrivateDirectory(config.dataDir, (message, fields) => log.warn(fields, message));
  const database = await openDatabase(config.secrets.database, () =>
    log.info('waiting for another migration'),
  );
  const { db } = database;
  resources.defer(database.close);
  const processes = await joinProcesses(db);
  resources.defer(processes.leave);
  every(MEMBERSHIP_RENEWAL_MS, 'renew the membership of the relayers', processes.renew, true);
  every(SWEEP_MS, 'delete expired rows', (signal) => sweep(db, config.runRecordDays, signal));
  return { database, db, processes, accountHeads: createAccountHeads(db, processes) };
}
