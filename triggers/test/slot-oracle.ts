/** Oracle for slots: checks every minute with Intl. */

export const zones = [
  'UTC',
  'America/New_York',
  'America/Havana',
  'America/Santiago',
  'America/St_Johns',
  'America/Nuuk',
  'America/Sao_Paulo',
  'Atlantic/Azores',
  'Europe/London',
  'Europe/Berlin',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Antarctica/Troll',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Pacific/Auckland',
  'Pacific/Chatham',
] as const;

/** Parsed cron expression. An absent field matches every value. */
export type Pattern = {
  second: number;
  minutes?: readonly number[] | undefined;
  hours?: readonly number[] | undefined;
  weekdays?: readonly number[] | undefined;
};

const MINUTE_MS = 60_000;

export function toCron({ second, minutes, hours, weekdays }: Pattern): string {
  const field = (values: readonly number[] | undefined) => values?.join(',') ?? '*';
  const five = `${field(minutes)} ${field(hours)} * * ${field(weekdays)}`;
  return second === 0 ? five : `${second} ${five}`;
}

/** Yields every minute from `fromMs` to `toMs` with its local date and time in the zone. */
function* eachMinute(zone: string, fromMs: number, toMs: number) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  for (let ms = fromMs; ms < toMs; ms += MINUTE_MS) {
    const text = format.format(ms);
    const [, month, day, year, hour, minute] = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+)$/.exec(text) ?? [];
    yield {
      ms,
      date: text.slice(0, 10),
      weekday: new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDay(),
      hour: Number(hour),
      minute: Number(minute),
    };
  }
}

/**
 * Returns the slots in ms from `fromMs` (a whole minute, inclusive) to `toMs` (exclusive). A fixed time (one hour, one minute) occurs
 * once per day: at the first matching local time, or at the first minute after a gap. Other patterns occur whenever the local time
 * matches.
 */
export function oracleSlots(pattern: Pattern, zone: string, fromMs: number, toMs: number): number[] {
  const { second, minutes, hours, weekdays } = pattern;
  const includes = (values: readonly number[] | undefined, value: number) => values?.includes(value) ?? true;
  const isFixed = minutes?.length === 1 && hours?.length === 1;
  const fixedAt = isFixed ? (hours[0] ?? 0) * 60 + (minutes[0] ?? 0) : 0;
  const slots: number[] = [];
  let doneDate = '';
  // Starts early enough to see the first date from its beginning.
  for (const at of eachMinute(zone, isFixed ? fromMs - 36 * 60 * MINUTE_MS : fromMs, toMs)) {
    if (!includes(weekdays, at.weekday)) continue;
    if (isFixed) {
      const now = at.hour * 60 + at.minute;
      if (at.date === doneDate || now < fixedAt) continue;
      doneDate = at.date;
      const slot = at.ms + (now === fixedAt ? second * 1_000 : 0);
      if (slot >= fromMs && slot < toMs) slots.push(slot);
    } else if (includes(hours, at.hour) && includes(minutes, at.minute)) slots.push(at.ms + second * 1_000);
  }
  return slots;
}

/** Returns a generator of numbers in [0, 1) that depends only on the seed. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomPattern(random: () => number): Pattern {
  const pick = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  const some = (from: number, to: number, most: number) =>
    [...new Set(Array.from({ length: pick(1, most) }, () => pick(from, to)))].sort((a, b) => a - b);
  const weekdays = random() < 0.2 ? some(0, 6, 4) : undefined;
  const second = random() < 0.3 ? pick(1, 59) : 0;
  const form = random();
  // Prefers the hours of clock changes.
  const hour = () => (random() < 0.7 ? pick(0, 4) : pick(0, 23));
  if (form < 0.5) return { second, minutes: [pick(0, 59)], hours: [hour()], weekdays };
  if (form < 0.8)
    return {
      second,
      minutes: some(0, 59, 4),
      hours: [...new Set([hour(), hour()])].sort((a, b) => a - b),
      weekdays,
    };
  if (form < 0.95) return { second, minutes: some(0, 59, 3), weekdays };
  return { second, hours: [hour()], weekdays };
}
