import type { HttpError } from '@latchkey/http';
import { describe, expect, test } from 'vitest';
import { createCron, toPattern } from './cron-expression.ts';

/** Returns the first slots of 2026, a year that begins on a Thursday, as `day-month hour:minute:second`. */
const slots = (text: string, count = 4) =>
  createCron(text, 'UTC')
    .nextRuns(count, new Date('2025-12-31T23:59:59Z'))
    .map((slot) => slot.toISOString().slice(5, 19).replace('T', ' '));

describe('dialects', () => {
  test.each([
    // Linux and Vixie cron
    ['@hourly', ['01-01 00:00:00', '01-01 01:00:00']],
    ['@daily', ['01-01 00:00:00', '01-02 00:00:00']],
    ['@midnight', ['01-01 00:00:00', '01-02 00:00:00']],
    ['@weekly', ['01-04 00:00:00', '01-11 00:00:00']],
    ['@monthly', ['01-01 00:00:00', '02-01 00:00:00']],
    ['@annually', ['01-01 00:00:00', '01-01 00:00:00']],
    ['  0\t9 * * mon ', ['01-05 09:00:00', '01-12 09:00:00']],
    // steps from a number: Quartz, Spring, node-cron
    ['0/5 * * * *', ['01-01 00:00:00', '01-01 00:05:00']],
    [
      '5/15 * * * *',
      ['01-01 00:05:00', '01-01 00:20:00', '01-01 00:35:00', '01-01 00:50:00', '01-01 01:05:00'],
    ],
    // ranges over the end: Quartz, cronie
    [
      '0 0 * * FRI-MON',
      ['01-02 00:00:00', '01-03 00:00:00', '01-04 00:00:00', '01-05 00:00:00', '01-09 00:00:00'],
    ],
    [
      '0 0 * * 5-1',
      ['01-02 00:00:00', '01-03 00:00:00', '01-04 00:00:00', '01-05 00:00:00', '01-09 00:00:00'],
    ],
    ['0 22-2/2 * * *', ['01-01 00:00:00', '01-01 02:00:00', '01-01 22:00:00', '01-02 00:00:00']],
    ['0 0 1 NOV-FEB *', ['01-01 00:00:00', '02-01 00:00:00', '11-01 00:00:00', '12-01 00:00:00']],
    ['55-5/5 0 1 1 *', ['01-01 00:00:00', '01-01 00:05:00', '01-01 00:55:00']],
    // Quartz: seconds first, ? for any day, year last
    ['0 0 12 ? * MON-FRI', ['01-01 12:00:00', '01-02 12:00:00', '01-05 12:00:00']],
    ['0 15 10 L * ?', ['01-31 10:15:00', '02-28 10:15:00']],
    ['0 0 12 ? * FRIL 2026', ['01-30 12:00:00', '02-27 12:00:00']],
    ['0 0 12 ? * MON#2 2026-2027', ['01-12 12:00:00', '02-09 12:00:00']],
    ['0 0 0 1 1 * 2027', ['01-01 00:00:00']],
    // AWS: the year last, without seconds
    ['cron(0 10 * * ? *)', ['01-01 10:00:00', '01-02 10:00:00']],
    [
      'cron(15 12 ? * SUN-TUE 2026)',
      ['01-04 12:15:00', '01-05 12:15:00', '01-06 12:15:00', '01-11 12:15:00'],
    ],
  ])('%s', (text, expected) => expect(slots(text, expected.length)).toEqual(expected));
});

describe('a refusal names the field and its rule', () => {
  const refusal = (text: string) => {
    try {
      return `accepted as ${toPattern(text)}`;
    } catch (error) {
      return `${(error as HttpError).status} ${(error as HttpError).message}`;
    }
  };

  test.each([
    ['60 * * * *', 'minute "60": expected 0 to 59, with lists, ranges and steps'],
    ['*/90 * * * *', 'minute "*/90": expected 0 to 59'],
    ['*/0 * * * *', 'minute "*/0": expected 0 to 59'],
    ['50-5/0 * * * *', 'minute "50-5/0": expected 0 to 59'],
    ['H/15 * * * *', 'minute "H/15": expected 0 to 59'],
    ['0 24 * * *', 'hour "24": expected 0 to 23'],
    ['61 0 0 * * *', 'second "61": expected 0 to 59'],
    ['0 0 32 * *', 'day of month "32": expected 1 to 31'],
    ['0 0 0 * *', 'day of month "0": expected 1 to 31'],
    ['0 0 * 13 *', 'month "13": expected 1 to 12 or JAN to DEC'],
    ['0 0 * FEBRUARY *', 'month "FEBRUARY": expected 1 to 12 or JAN to DEC'],
    ['0 0 * * 8', 'day of week "8": expected 0 to 6 or SUN to SAT'],
    ['0 0 * * MON,', 'day of week "MON,": expected 0 to 6 or SUN to SAT'],
    ['0 0 * * MON-', 'day of week "MON-": expected 0 to 6 or SUN to SAT'],
    ['0 0 0 1 1 * x', 'year "x": expected 1 to 9999'],
    // AWS without its wrapper would be read with seconds first.
    ['0 10 ? * MON *', 'hour "?": expected 0 to 23'],
    ['0 0 12 ? * 2', 'day of week "2": expected names such as MON'],
    ['0 0 12 ? * MON,6L', 'day of week "MON,6L": expected names such as MON'],
    ['0 0 12 * * 2-6 2026', 'day of week "2-6": expected names such as MON'],
    ['cron(0 10 ? * 2 *)', 'day of week "2": expected names such as MON'],
    ['cron(0 10 * * ?)', 'expected six fields in cron(…)'],
    ['0 0 0 1 1 * 2030-2026', 'year "2030-2026": expected 1 to 9999'],
    ['* * * *', 'expected five fields'],
    ['0 0 * * * * * *', 'expected five fields'],
    ['', 'expected five fields'],
    ['@reboot', '"@reboot" is unknown; expected @yearly'],
    ['@every 5m', '"@every 5m" is unknown; expected @yearly'],
    ['CRON_TZ=Europe/Berlin 0 9 * * *', 'the time zone belongs in body.config.timezone'],
  ])('%s', (text, reason) => expect(refusal(text)).toContain(`400 body.config.cron: ${reason}`));
});
