/** Sends the queued alerts. Any number of processes can work on one database. */
import { repeat } from '@latchkey/service/repeat';
import type { Sealer } from '@latchkey/service/sealer';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { claimDeliveries, type Delivery, removeDelivery, retryDelivery } from './deliveries.ts';
import type { PostAlert } from './post.ts';

const POLL_MS = 1_000;

export type AlertSenderOptions = {
  db: Database;
  sealer: Pick<Sealer, 'openText'>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  postAlert: PostAlert;
};

/** Disposing ends the in-flight attempts. They are made again when their leases expire. */
export const startAlertSender = (options: AlertSenderOptions): AsyncDisposable =>
  repeat({
    intervalMs: POLL_MS,
    task: (signal) => sendDueAlerts(options, signal),
    onError: (err) => options.log.error({ err }, 'failed to send alerts'),
  });

/** Makes one attempt for due alerts, at most one per account. */
export async function sendDueAlerts(options: AlertSenderOptions, signal?: AbortSignal): Promise<void> {
  const due = await claimDeliveries(options.db);
  await Promise.all(due.map((delivery) => send(options, delivery, signal)));
}

async function send(
  { db, sealer, log, postAlert }: AlertSenderOptions,
  delivery: Delivery,
  signal?: AbortSignal,
): Promise<void> {
  const { id, userId, attempt, url, alert } = delivery;
  const about = { delivery_id: id, attempt };
  try {
    await postAlert({ id, url, secret: sealer.openText(delivery.secret, userId), alert }, signal);
  } catch (err) {
    if (signal?.aborted) return;
    const isKept = await retryDelivery(db, delivery);
    log.warn({ ...about, err }, isKept ? 'failed to send an alert' : 'an alert was dropped after a day');
    return;
  }
  await removeDelivery(db, delivery);
  log.info(about, 'alert sent');
}
