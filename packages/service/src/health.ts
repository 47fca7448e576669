import { sharedFor } from './shared-for.ts';
import { within } from './within.ts';

const DEADLINE_MS = 3_000;
const LIFETIME_MS = 1_000;

/**
 * A degraded part works, with less than it should have. `detail` names the fault and must not contain a secret: it is public. `since` is the
 * time of the first check that found the part unhealthy or degraded, until a check finds it whole.
 */
export type PartHealth = { ok: boolean; degraded?: true; detail?: string; since?: string };
export type HealthCheck<Part extends string> = () => Promise<Record<Part, PartHealth>>;

/** A part works, with less than it should have; the message is public. */
export class DegradedError extends Error {
  override readonly name = 'DegradedError';
}

/** A part is unhealthy; the message is public. */
export class UnhealthyError extends Error {
  override readonly name = 'UnhealthyError';
}

/**
 * Checks all parts concurrently, at most once per second for any number of callers. A part is healthy when its check
 * resolves, and degraded when it rejects with `DegradedError`.
 */
export function createHealthCheck<Part extends string>(
  checks: Record<Part, () => Promise<unknown>>,
): HealthCheck<Part> {
  const parts = Object.keys(checks) as Part[];
  const faultySince = new Map<Part, string>();
  const withSince = (part: Part, health: PartHealth): PartHealth => {
    if (health.detail === undefined) {
      faultySince.delete(part);
      return health;
    }
    const since = faultySince.get(part) ?? new Date().toISOString();
    faultySince.set(part, since);
    return { ...health, since };
  };
  return sharedFor(LIFETIME_MS, async () => {
    const results = await Promise.all(
      parts.map(
        async (part): Promise<[Part, PartHealth]> => [part, withSince(part, await judge(checks[part]))],
      ),
    );
    return Object.fromEntries(results) as Record<Part, PartHealth>;
  });
}

async function judge(check: () => Promise<unknown>): Promise<PartHealth> {
  try {
    await within(DEADLINE_MS, check(), () => new UnhealthyError('does not answer'));
    return { ok: true };
  } catch (error) {
    if (error instanceof DegradedError) return { ok: true, degraded: true, detail: error.message };
    return { ok: false, detail: error instanceof UnhealthyError ? error.message : 'does not work' };
  }
}
