import { setTimeout as delay } from 'node:timers/promises';

const DEADLINE_MS = 3_000;

/** Resolves to null when what is read is not known in time: a part that is down hides no other one. */
export const orNull = <T>(reading: Promise<T>): Promise<T | null> =>
  Promise.race([reading.catch(() => null), delay(DEADLINE_MS, null, { ref: false })]);
