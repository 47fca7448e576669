/** Triggers that fire by the clock. Which slots a schedule has is decided by croner; see docs/schedules.md for changes of the clock. */
import { badRequest } from '@latchkey/http';
import { Cron, CronPattern } from 'croner';
import { z } from 'zod';
import { parseConfig } from './parse-config.ts';
import type { Source, StoredConfig } from './source.ts';

const MIN_GAP_SEC = 30;
/** A slot that is looked at later than this was missed. */
const ON_TIME_MS = 30_000;
/** Of missed slots, the newest that `all` makes up for. */
export const MAX_MADE_UP = 100;
const SHOWN_RUNS = 5;

/** What becomes of slots that were missed: none fires, the newest fires unless one that is on time does, all fire. */
const missed = z.enum(['skip', 'one', 'all']);
export type MissedPolicy = z.output<typeof missed>;

const config = z.strictObject({
  /** Five fields, or six with seconds in front. */
  cron: z.string().max(256),
  /** A zone of the IANA database. */
  timezone: z.string().max(64).default('UTC'),
  missed: missed.default('one'),
});
export type ScheduleConfig = z.output<typeof config>;
export const scheduleOf = (stored: StoredConfig) => stored as ScheduleConfig;

const mode = '5-or-6-parts';
type Timing = Pick<ScheduleConfig, 'cron' | 'timezone'>;
const cronOf = ({ cron, timezone }: Timing): Cron => new Cron(cron, { mode, timezone });

/** The first slot after an instant; null when there is none any more. */
export const nextSlot = (timing: Timing, after: Date): Date | null => cronOf(timing).nextRun(after);

/**
 * The slots from `from` to `to`, both included, that fire at `to`, oldest first. `isCut` when there were more missed ones than
 * are made up for.
 */
export function dueSlots(
  timing: Timing,
  from: Date,
  to: Date,
  policy: MissedPolicy,
): { slots: Date[]; isCut: boolean } {
  const cron = cronOf(timing);
  const newestFirst: Date[] = [];
  let madeUp = 0;
  // The reference itself is not among its previous runs.
  let [slot] = cron.previousRuns(1, new Date(to.getTime() + 1));
  for (; slot && slot >= from; [slot] = cron.previousRuns(1, slot)) {
    if (to.getTime() - slot.getTime() > ON_TIME_MS) {
      if (policy === 'skip' || (policy === 'one' && newestFirst.length > 0)) break;
      if (madeUp === MAX_MADE_UP) return { slots: newestFirst.reverse(), isCut: true };
      madeUp++;
    }
    newestFirst.push(slot);
  }
  return { slots: newestFirst.reverse(), isCut: false };
}

const valuesOf = (flags: readonly number[]): number[] => [...flags.keys()].filter((value) => flags[value]);

/**
 * False when two slots could be less than 30 s apart. Zones are whole minutes away from UTC, so that the seconds of a minute stay
 * what they are: only two of them that are more than 30 s apart, such as 0 and 50, need a look at the minutes. These must not
 * follow each other: within an hour, from minute 59 into the next one, or where a change of the clock by a half or a quarter of
 * an hour puts 59 before 0, 15, 30 or 45.
 */
function leavesGaps({ second, minute }: Pick<CronPattern, 'second' | 'minute'>): boolean {
  const [first = 0, last = first, ...more] = valuesOf(second);
  if (first === last) return true;
  const apartSec = last - first;
  if (more.length > 0 || apartSec < MIN_GAP_SEC) return false;
  if (60 - apartSec >= MIN_GAP_SEC) return true;
  const minutes = new Set(valuesOf(minute));
  const follows = [...minutes].some((value) => minutes.has(value + 1));
  return !follows && !(minutes.has(59) && [0, 15, 30, 45].some((value) => minutes.has(value)));
}

const isZone = (timezone: string): boolean => {
  try {
    // An offset such as +01:00 is a zone for Intl, but none of the database.
    return new Intl.DateTimeFormat('en', { timeZone: timezone }) && /^[A-Za-z]/.test(timezone);
  } catch {
    return false;
  }
};

/** 400 for what has no meaning, never fires or fires too often. */
function requireSensible(timing: Timing): void {
  if (!isZone(timing.timezone))
    throw badRequest('body.config.timezone: expected a zone such as Europe/Berlin');
  const fields = timing.cron.trim().split(/\s+/).length;
  let pattern: CronPattern;
  try {
    pattern = new CronPattern(timing.cron, undefined, { mode });
  } catch {
    throw badRequest('body.config.cron: expected the five fields of cron, or six with seconds');
  }
  // croner takes names such as @daily for patterns too.
  if (fields !== 5 && fields !== 6) throw badRequest('body.config.cron: expected five fields, or six');
  if (!leavesGaps(pattern))
    throw badRequest(`body.config.cron: less than ${MIN_GAP_SEC} seconds between two runs`);
  if (!nextSlot(timing, new Date())) throw badRequest('body.config.cron: never comes');
}

export const schedule: Source = {
  async accept(wire) {
    const accepted = parseConfig(config, wire);
    requireSensible(accepted);
    return accepted;
  },
  show: (stored) => stored,
  columns(stored, now, due) {
    const timing = scheduleOf(stored);
    const next = nextSlot(timing, now);
    // One that is due and has not fired yet still does, when it is a slot of this schedule too.
    const isKept =
      due && due < now && nextSlot(timing, new Date(due.getTime() - 1))?.getTime() === due.getTime();
    return { nextSlotAt: isKept ? due : next };
  },
  fields: ({ config, enabled }) => ({
    next_runs: enabled
      ? cronOf(scheduleOf(config))
          .nextRuns(SHOWN_RUNS)
          .map((slot) => slot.toISOString())
      : [],
  }),
};
