/** Cron expressions in the dialects that people copy from. Rewrites what croner does not read: ranges over the end, and `cron(…)`. */
import { badRequest } from '@latchkey/http';
import { Cron, type CronOptions, CronPattern } from 'croner';
import { LRUCache } from 'lru-cache';

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

type Field = { name: string; min: number; max: number; names?: string[]; also?: string };
const SECOND: Field = { name: 'second', min: 0, max: 59 };
const FIVE: Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31, also: 'L (the last day), LW, 15W (the nearest weekday) or ?' },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 6, names: DAYS, also: '7, FRIL (the last Friday), FRI#2 or ?' },
];
const YEAR: Field = { name: 'year', min: 1, max: 9999 };
const DAY_OF_WEEK = 4;

/** Sloppy ranges are steps from a number, such as 5/15. */
const READING = { mode: 'auto', sloppyRanges: true } satisfies CronOptions;

const refuse = (text: string) => badRequest(`body.config.cron: ${text}`);

/** Returns the values of a range over the end, such as FRI-MON: `5,6,0,1`. Returns any other range as it is. */
function unwrapRange(range: string, { min, max, names = [] }: Field): string {
  const [, first = '', last = '', step = '1'] = /^(\w+)-(\w+)(?:\/(\d+))?$/.exec(range) ?? [];
  const toNumber = (text: string) => {
    const index = names.indexOf(text.toUpperCase());
    return index >= 0 ? index + min : Number(text);
  };
  const [from, to] = [toNumber(first), toNumber(last)];
  if (!(from > to && from <= max && to >= min) || step === '0') return range;
  const values: number[] = [];
  const count = max - min + 1;
  for (let offset = 0; offset <= to + count - from; offset += Number(step)) {
    values.push(min + ((from - min + offset) % count));
  }
  return values.join(',');
}

function reads(pattern: string): boolean {
  try {
    return Boolean(new CronPattern(pattern, undefined, READING));
  } catch {
    return false;
  }
}

function readField(text: string, position: number, fields: Field[]): string {
  const field = fields[position] as Field;
  const unwrapped = text
    .split(',')
    .map((range) => (field === YEAR ? range : unwrapRange(range, field)))
    .join(',');
  const isAllowed = !text.includes('?') || field.also?.endsWith('?');
  if (isAllowed && reads(fields.map((_, i) => (i === position ? unwrapped : '*')).join(' ')))
    return unwrapped;
  const named = field.names ? ` or ${field.names[0]} to ${field.names.at(-1)}` : '';
  const also = field.also ? `, and ${field.also}` : '';
  throw refuse(
    `${field.name} "${text}": expected ${field.min} to ${field.max}${named}, with lists, ranges and steps${also}`,
  );
}

/**
 * Returns the pattern for croner: five fields, six with seconds first, seven with the year last. `cron(…)` has six fields with the year
 * last. Throws 400 with the field and its rule.
 */
export function toPattern(text: string): string {
  const expression = text.trim();
  if (/^@/.test(expression)) {
    if (reads(expression)) return expression;
    throw refuse(`"${expression}" is unknown; expected @yearly, @monthly, @weekly, @daily or @hourly`);
  }
  if (/^(CRON_)?TZ=/i.test(expression)) throw refuse('the time zone belongs in body.config.timezone');
  const [, wrapped] = /^cron\((.*)\)$/i.exec(expression) ?? [];
  const texts = (wrapped === undefined ? expression : `0 ${wrapped.trim()}`).split(/\s+/);
  if (wrapped !== undefined && texts.length !== 7) {
    throw refuse('expected six fields in cron(…): minute, hour, day of month, month, day of week, year');
  }
  if (texts.length < 5 || texts.length > 7) {
    throw refuse(
      'expected five fields (minute, hour, day of month, month, day of week), six with seconds first, or seven with the year last',
    );
  }
  const fields = [...(texts.length > 5 ? [SECOND] : []), ...FIVE, ...(texts.length === 7 ? [YEAR] : [])];
  const day = texts[fields.length === 5 ? DAY_OF_WEEK : DAY_OF_WEEK + 1] as string;
  if (/\d/.test(day.replaceAll(/[#/]\d+/g, '')) && (texts.length === 7 || texts.includes('?'))) {
    throw refuse(
      `day of week "${day}": expected names such as MON, since dialects with ? or a year count the days differently`,
    );
  }
  return texts.map((text, position) => readField(text, position, fields)).join(' ');
}

/** Recent expressions: many schedules share one, and each is read again at every slot. */
const known = new LRUCache<string, Cron>({ max: 1_000 });

/** Returns a `Cron` that runs nothing. */
export function createCron(text: string, timezone: string): Cron {
  const key = `${timezone} ${text}`;
  const cron = known.get(key) ?? new Cron(toPattern(text), { ...READING, timezone });
  known.set(key, cron);
  return cron;
}

export const createPattern = (text: string): CronPattern =>
  new CronPattern(toPattern(text), undefined, READING);
