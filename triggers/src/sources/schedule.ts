/** Schedule triggers. croner computes the slots; docs/schedules.md describes daylight saving time. */
import { badRequest } from '@latchkey/http';
import type { CronPattern } from 'croner';
import { z } from 'zod';
import { createCron, createPattern } from './cron-expression.ts';
import { parseConfig } from './parse-config.ts';
import type { Source, StoredConfig } from './source.ts';

const MIN_GAP_SEC = 30;
/** A slot that is processed later than this counts as missed. */
const ON_TIME_MS = 30_000;
/** Maximum number of missed slots that fire under the policy `all`: the newest ones. */
export const MAX_CAUGHT_UP = 100;
const SHOWN_RUNS = 5;

/** Policy for missed slots: none fires, the newest fires unless a slot on time does, or all fire. */
const missed = z.enum(['skip', 'one', 'all']);
export type MissedPolicy = z.output<typeof missed>;

const config = z.strictObject({
  /** See cron-expression.ts. */
  cron: z.string().max(256),
  /** IANA time zone. */
  timezone: z.string().max(64).default('UTC'),
  missed: missed.default('one'),
});
export type ScheduleConfig = z.output<typeof config>;
export const toScheduleConfig = (stored: StoredConfig) => stored as ScheduleConfig;

type Timing = Pick<ScheduleConfig, 'cron' | 'timezone'>;

/** Returns the first slot after an instant, or null when there is none. */
export const nextSlot = ({ cron, timezone }: Timing, after: Date): Date | null =>
  createCron(cron, timezone).nextRun(after);

/**
 * Returns the slots from `from` to `to` (both inclusive) that fire at `to`, oldest first. `isTruncated` is true when more slots were
 * missed than `MAX_CAUGHT_UP`.
 */
export function dueSlots(
  { cron: expression, timezone }: Timing,
  from: Date,
  to: Date,
  policy: MissedPolicy,
): { slots: Date[]; isTruncated: boolean } {
  const cron = createCron(expression, timezone);
  const newestFirst: Date[] = [];
  let caughtUp = 0;
  // previousRuns excludes the reference time.
  let [slot] = cron.previousRuns(1, new Date(to.getTime() + 1));
  for (; slot && slot >= from; [slot] = cron.previousRuns(1, slot)) {
    if (to.getTime() - slot.getTime() > ON_TIME_MS) {
      if (policy === 'skip' || (policy === 'one' && newestFirst.length > 0)) break;
      if (caughtUp === MAX_CAUGHT_UP) return { slots: newestFirst.reverse(), isTruncated: true };
      caughtUp++;
    }
    newestFirst.push(slot);
  }
  return { slots: newestFirst.reverse(), isTruncated: false };
}

const setValues = (flags: readonly number[]): number[] => [...flags.keys()].filter((value) => flags[value]);

/**
 * Returns false when two slots could be less than 30 s apart. UTC offsets are whole minutes, so the seconds within a minute never
 * change. Two seconds more than 30 s apart, such as 0 and 50, are allowed only when no two minutes are consecutive: within an
 * hour, from minute 59 to minute 0, or from 59 to 15, 30 or 45, which a clock change by a quarter or half hour can make adjacent.
 */
function hasMinimumGap({ second, minute }: Pick<CronPattern, 'second' | 'minute'>): boolean {
  const [first = 0, last = first, ...more] = setValues(second);
  if (first === last) return true;
  const apartSec = last - first;
  if (more.length > 0 || apartSec < MIN_GAP_SEC) return false;
  if (60 - apartSec >= MIN_GAP_SEC) return true;
  const minutes = new Set(setValues(minute));
  const follows = [...minutes].some((value) => minutes.has(value + 1));
  return !follows && !(minutes.has(59) && [0, 15, 30, 45].some((value) => minutes.has(value)));
}

const isZone = (timezone: string): boolean => {
  try {
    // Intl accepts offsets such as +01:00, which are not IANA zones.
    return new Intl.DateTimeFormat('en', { timeZone: timezone }) && /^[A-Za-z]/.test(timezone);
  } catch {
    return false;
  }
};

/** Throws 400 for a schedule that is malformed, never fires or fires too often. */
function requireValidTiming(timing: Timing): void {
  if (!isZone(timing.timezone))
    throw badRequest('body.config.timezone: expected an IANA time zone such as Europe/Berlin');
  if (!hasMinimumGap(createPattern(timing.cron)))
    throw badRequest(`body.config.cron: runs must be at least ${MIN_GAP_SEC} seconds apart`);
  if (!nextSlot(timing, new Date()))
    throw badRequest('body.config.cron: the schedule never fires; expected a date that exists');
}

/** Returns the stored form of a config. Throws 400 or 422. */
export function acceptSchedule(wire: unknown): ScheduleConfig {
  const accepted = parseConfig(config, wire);
  requireValidTiming(accepted);
  return accepted;
}

/** Returns the next five slots of a stored config. */
export function nextRuns(config: StoredConfig): string[] {
  const { cron, timezone } = toScheduleConfig(config);
  return createCron(cron, timezone)
    .nextRuns(SHOWN_RUNS)
    .map((slot) => slot.toISOString());
}

export const schedule: Source = {
  config,
  accept: async (wire) => acceptSchedule(wire),
  show: (stored) => stored,
  columns(stored, now, due) {
    const timing = toScheduleConfig(stored);
    const next = nextSlot(timing, now);
    // A slot that is due but has not fired yet still fires if it is a slot of this schedule.
    const isKept =
      due && due < now && nextSlot(timing, new Date(due.getTime() - 1))?.getTime() === due.getTime();
    return { nextSlotAt: isKept ? due : next };
  },
  fields({ config, enabled }) {
    return { next_runs: enabled ? nextRuns(config) : [] };
  },
};
