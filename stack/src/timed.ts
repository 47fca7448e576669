/** Interval of progress reports. */
const PROGRESS_MS = 5_000;

/** Logs what is done with its duration, and progress while it takes long. */
export async function timed<T>(
  what: string,
  log: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  const timer = setInterval(() => log(`${what}: not yet, after ${seconds()}`), PROGRESS_MS);
  try {
    const result = await work();
    log(`${what} (${seconds()})`);
    return result;
  } finally {
    clearInterval(timer);
  }
}
