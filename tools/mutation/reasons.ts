/** Files of reasons for exceptions: `{ "reason": ["id", …] }`. */
import { readFileSync } from 'node:fs';

/**
 * Reads a JSON file.
 *
 * @returns `otherwise` when the file does not exist.
 */
export function readJson<T>(file: string, otherwise: T): T {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}

/** Returns the reasons of a file by id. */
export function readReasons(file: string): Map<string, string> {
  const byReason = readJson<Record<string, string[]>>(file, {});
  return new Map(
    Object.entries(byReason).flatMap(([reason, ids]) => ids.map((id): [string, string] => [id, reason])),
  );
}
