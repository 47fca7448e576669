/** Sends the queued deliveries. Any number of processes can work on one database. */
import { repeat } from '@latchkey/service/repeat';
import type { Sealer } from '@latchkey/service/sealer';
import type { Logger } from 'pino';
import {
  claimDeliveries,
  type Database,
  type Delivery,
  PER_ENDPOINT,
  storeFailure,
  storeSuccess,
} from './deliveries.ts';
import { type Post, WebhookError } from './post.ts';
import type { WebhookTables } from './tables.ts';

const POLL_MS = 1_000;
/** Concurrent attempts of this process. While there are as many as `SHARED`, each endpoint has one, so that slow endpoints leave the rest to others. */
const MAX_IN_FLIGHT = 512;
const SHARED = 256;

export type SenderOptions = {
  db: Database;
  tables: WebhookTables;
  sealer: Pick<Sealer, 'openText'>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  post: Post;
  /** Resolves to false when the endpoint gets no deliveries any more. Absent: every endpoint gets its own. */
  mayReceive?: (endpointId: string) => Promise<boolean>;
};

/** Disposing ends the in-flight attempts. They are made again when their leases expire. */
export function startSender(options: SenderOptions): AsyncDisposable {
  const stop = new AbortController();
  const sender = createSender(options, stop.signal);
  const polling = repeat({
    intervalMs: POLL_MS,
    task: sender.poll,
    onError: (err) => options.log.error({ err }, 'failed to send webhooks'),
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await polling[Symbol.asyncDispose]();
      await sender.idle();
    },
  };
}

export type Sender = {
  /** Starts attempts of due deliveries. A slow endpoint delays no other one. */
  poll: () => Promise<void>;
  /** Resolves when no attempt is in flight. */
  idle: () => Promise<void>;
};

export function createSender(options: SenderOptions, signal: AbortSignal): Sender {
  const { db, tables, log, mayReceive } = options;
  const busy = new Map<string, Promise<void>>();
  let inFlight = 0;
  let polling: Promise<void> | undefined;

  /** Makes attempts of one endpoint. */
  const sendAll = async (endpointId: string, deliveries: Delivery[]): Promise<void> => {
    const refused = async (err: unknown): Promise<false> => {
      log.error({ err, endpoint_id: endpointId }, 'failed to find the owner of a webhook');
      return false;
    };
    if (mayReceive && !(await mayReceive(endpointId).catch(refused))) return;
    const sent = await Promise.allSettled(deliveries.map((delivery) => attempt(options, delivery, signal)));
    for (const result of sent)
      if (result.status === 'rejected')
        log.error({ err: result.reason }, 'failed to store the result of a webhook');
  };
  const claim = async (): Promise<void> => {
    if (signal.aborted || inFlight === MAX_IN_FLIGHT) return;
    const [limit, shared] = [MAX_IN_FLIGHT - inFlight, SHARED - inFlight];
    const due = await claimDeliveries(db, tables, { busy: [...busy.keys()], limit, shared });
    const isShort = due.length >= shared;
    for (const endpointId of new Set(due.map((delivery) => delivery.endpointId))) {
      const own = due.filter((delivery) => delivery.endpointId === endpointId);
      inFlight += own.length;
      const sent = sendAll(endpointId, own).then(() => {
        inFlight -= own.length;
        busy.delete(endpointId);
        // There can be more, so that the next poll is not awaited.
        if (own.length === PER_ENDPOINT || isShort) void poll().catch(() => {});
      });
      busy.set(endpointId, sent);
    }
  };
  const poll = (): Promise<void> => {
    polling ??= claim().finally(() => {
      polling = undefined;
    });
    return polling;
  };
  return {
    poll,
    async idle() {
      while (busy.size > 0 || polling) await Promise.allSettled([...busy.values(), polling]);
    },
  };
}

async function attempt(
  { db, tables, sealer, log, post }: SenderOptions,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<void> {
  const { id, endpointId, url, message } = delivery;
  const about = { delivery_id: id, endpoint_id: endpointId, attempt: delivery.attempt, type: message.type };
  let status: number;
  try {
    const secret = sealer.openText(delivery.secret, endpointId);
    status = await post({ id, url, secret, message }, signal);
  } catch (err) {
    if (signal.aborted) return;
    const isOfReceiver = err instanceof WebhookError;
    if (!isOfReceiver) log.error({ ...about, err }, 'failed to make an attempt of a webhook');
    const error = isOfReceiver ? err.message : 'the service failed to make the attempt';
    const responseStatus = isOfReceiver ? err.status : undefined;
    const { isGivenUp, isDisabled } = await storeFailure(db, tables, delivery, { error, responseStatus });
    const state = { ...about, status: responseStatus, is_given_up: isGivenUp, is_disabled: isDisabled };
    log.warn(state, 'webhook was not delivered');
    return;
  }
  await storeSuccess(db, tables, delivery, status);
  log.info(about, 'webhook delivered');
}
