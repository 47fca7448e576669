import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { bundlePonder } from './bundle-ponder.ts';
import { EXIT_CONFIG } from './exit.ts';
import { log } from './log.ts';

const RESTART_DELAY_MS = 500;
const MAX_RESTART_DELAY_MS = 10_000;
/** A process that ran this long did start: its failure is unrelated to the failure before. */
const STARTED_MS = 30_000;

/**
 * Keeps one Ponder process running until SIGINT or SIGTERM. It is a separate process because Ponder recovers from a
 * reorg below its final block, and from a replaced chain, only by a new start.
 */
export async function supervise(): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

  let delayMs = RESTART_DELAY_MS;
  while (!stopping.signal.aborted) {
    const startedAt = Date.now();
    const program = await bundlePonder();
    if (stopping.signal.aborted) break;
    const child = fork(program, { serialization: 'json' });
    const stop = () => child.kill('SIGINT');
    stopping.signal.addEventListener('abort', stop);
    const [code, signal] = await once(child, 'exit');
    stopping.signal.removeEventListener('abort', stop);
    if (stopping.signal.aborted) break;
    if (code === EXIT_CONFIG) {
      process.exitCode = EXIT_CONFIG;
      break;
    }
    delayMs =
      Date.now() - startedAt > STARTED_MS ? RESTART_DELAY_MS : Math.min(delayMs * 2, MAX_RESTART_DELAY_MS);
    log.warn({ code, signal, delay_ms: delayMs }, 'Ponder ended: restarting');
    await setTimeout(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}
