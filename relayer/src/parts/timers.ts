import { repeat } from '@latchkey/service/repeat';
import type { Logger } from 'pino';

/** Repeats a task until the relayer closes. `action` completes "failed to …" in the log. Waits one interval first, unless `isImmediate`. */
export type Every = (
  intervalMs: number,
  action: string,
  task: (signal: AbortSignal) => Promise<unknown>,
  isImmediate?: boolean,
) => void;

export function openTimers(resources: AsyncDisposableStack, log: Logger): Every {
  return (intervalMs, action, task, isImmediate = false) => {
    const onError = (err: unknown) => log.warn({ err }, `failed to ${action}`);
    resources.use(repeat({ intervalMs, task, onError, isImmediate }));
  };
}
