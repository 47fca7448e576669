/** Threads that work on a queue of tasks, each in its own copy of the project. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Result, Task, WorkerData } from './worker.ts';

const WORKERS = 2;

/**
 * Runs the tasks of a queue.
 *
 * @param onResult May add to the queue.
 */
export async function run(
  data: Omit<WorkerData, 'dir'>,
  queue: Task[],
  onResult: (task: Task, result: Result) => void,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'mutants-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  const idle: Worker[] = [];
  await new Promise<void>((resolve, reject) => {
    let busy = 0;
    const next = () => {
      while (idle.length > 0 && queue.length > 0) {
        const [worker, task] = [idle.pop() as Worker, queue.shift() as Task];
        busy++;
        const onMessage = (message: Result | 'done') => {
          if (message !== 'done') return onResult(task, message);
          worker.off('message', onMessage);
          busy--;
          idle.push(worker);
          next();
        };
        worker.on('message', onMessage);
        worker.postMessage(task);
      }
      if (busy === 0 && queue.length === 0) resolve();
    };
    for (let i = 0; i < Math.min(WORKERS, queue.length); i++) {
      const workerData: WorkerData = { ...data, dir: join(dir, `${i}`) };
      const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData });
      worker.on('error', reject);
      idle.push(worker);
    }
    next();
  });
  await Promise.all(idle.map((worker) => worker.terminate()));
}

export function progress(total: number): (finished: number) => void {
  const started = Date.now();
  let shown = started;
  return (finished) => {
    if (Date.now() - shown < 15_000 && finished < total) return;
    shown = Date.now();
    const seconds = ((shown - started) / 1000 / finished) * (total - finished);
    console.log(`${finished} of ${total}, about ${Math.ceil(seconds / 60)} min to go`);
  };
}
