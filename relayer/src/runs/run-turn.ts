/** The turn of a run among the runs of its account with the same `concurrency_key`, over all relayers. */
import type { Lock, Locks } from '@latchkey/service/locks';
import { RunShareError } from '../runners/errors.ts';

/** Longest wait for the other runs. */
const LONGEST_WAIT_MS = 60_000;

type Keyed = { account: bigint; concurrencyKey: string | null | undefined };

/**
 * Waits until no other run of the key runs; undefined for a run without a key. Rejects with the reason of `signal`, and with `RunShareError` when the
 * others take long.
 */
export async function takeTurn(
  locks: Pick<Locks, 'take'>,
  { account, concurrencyKey }: Keyed,
  signal: AbortSignal,
): Promise<Lock | undefined> {
  if (concurrencyKey == null) return undefined;
  const late = AbortSignal.timeout(LONGEST_WAIT_MS);
  try {
    return await locks.take(`run ${account} ${normal(concurrencyKey)}`, AbortSignal.any([signal, late]));
  } catch (thrown) {
    throw thrown === late.reason
      ? new RunShareError('another run with this concurrency_key is running')
      : thrown;
  }
}

/** Returns an address in lower case, so that its forms are one key. */
const normal = (key: string): string => (/^0x[0-9a-fA-F]{40}$/.test(key) ? key.toLowerCase() : key);
