const PERIOD_MS = 1_000;
/** Keys with a line in the present second. Further ones share a line. */
const MAX_KEYS = 1_000;

/**
 * Writes a line immediately, and the last one of each following second in which there are more, with the number of lines that it stands
 * for. Thus a flood of one key writes one line per second.
 */
export type SparseLog = (key: string, write: (count: number) => void) => void;

export function createSparseLog(): SparseLog {
  const keys = new Map<string, { write: (count: number) => void; count: number }>();
  const startPeriod = (key: string, entry: { write: (count: number) => void; count: number }): void => {
    const end = () => {
      if (entry.count === 0) return keys.delete(key);
      entry.write(entry.count);
      entry.count = 0;
      return startPeriod(key, entry);
    };
    setTimeout(end, PERIOD_MS).unref();
  };
  return (key, write) => {
    const name = keys.has(key) || keys.size < MAX_KEYS ? key : 'others';
    const entry = keys.get(name);
    if (entry) {
      entry.write = write;
      entry.count += 1;
      return;
    }
    write(1);
    const started = { write, count: 0 };
    keys.set(name, started);
    startPeriod(name, started);
  };
}
