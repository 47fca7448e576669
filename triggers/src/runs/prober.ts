import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RelayerClient } from '../relayer-client.ts';

const FIRST_PROBE_MS = 1_000;
const LONGEST_PROBE_MS = 30_000;

export type ProberOptions = {
  relayer: Pick<RelayerClient, 'ping'>;
  log: Logger;
  /** Called when the relayer can run actions again. */
  onBack: () => void;
  signal: AbortSignal;
};

/** Asks a relayer that could not run an action, until it can. */
export function startProber({ relayer, log, onBack, signal }: ProberOptions) {
  let probing: Promise<void> | undefined;
  const probe = async (): Promise<void> => {
    for (let waitMs = FIRST_PROBE_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_PROBE_MS)) {
      const isBack = await relayer.ping().then(
        () => true,
        () => false,
      );
      if (isBack) return;
      await delay(waitMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
    }
  };
  return {
    /** Resolves when the relayer can run actions; undefined while it is believed to. */
    probing: () => probing,
    start(httpStatus: number): void {
      if (probing || signal.aborted) return;
      log.warn({ http_status: httpStatus }, 'the relayer cannot run actions: runs wait');
      probing = probe().finally(() => {
        probing = undefined;
        onBack();
      });
    },
  };
}
