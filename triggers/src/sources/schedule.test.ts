import type { HttpError } from '@latchkey/http';
import { describe, expect, test } from 'vitest';
import { comparePure } from '../../test/simulated-days.ts';
import { oracleSlots, randomPattern, seededRandom, toCron, zones } from '../../test/slot-oracle.ts';
import { dueSlots, MAX_CAUGHT_UP, nextSlot, schedule } from './schedule.ts';
import type { Trigger } from './source.ts';

const accept = (wire: unknown) => schedule.accept(wire, { id: '' }, {} as never);
const refusal = (wire: unknown): Promise<HttpError> =>
  accept(wire).then(
    () => expect.unreachable('accepted'),
    (error) => error,
  );
const at = (text: string) => new Date(text);
const toIso = (slots: Date[]) => slots.map((slot) => slot.toISOString());

describe('accept', () => {
  test('defaults to UTC and the policy one', async () => {
    expect(await accept({ cron: '*/5 * * * *' })).toEqual({
      cron: '*/5 * * * *',
      timezone: 'UTC',
      missed: 'one',
    });
    const whole = { cron: '15 0 9 * * MON-FRI', timezone: 'Europe/Berlin', missed: 'all' };
    expect(await accept(whole)).toEqual(whole);
  });

  test.each([
    ['', 'empty'],
    ['* * * *', 'four fields'],
    ['0 0 0 1 1 * 2020', 'a year that is over'],
    ['@reboot', 'no time'],
    ['2026-01-01T00:00:00', 'a date'],
    ['60 * * * *', 'minute 60'],
    ['0 24 * * *', 'hour 24'],
    ['0 0 30 2 *', '30 February'],
    ['x * * * *', 'a letter'],
  ])('400: %s (%s)', async (cron) => {
    expect(await refusal({ cron })).toMatchObject({ status: 400, message: expect.stringContaining('cron') });
  });

  test.each(['Mars/Phobos', '', '+02:00', 'Europe/Berlin '])('400: the zone %j', async (timezone) => {
    expect(await refusal({ cron: '0 0 * * *', timezone })).toMatchObject({
      status: 400,
      message: expect.stringContaining('timezone'),
    });
  });

  test.each([
    undefined,
    null,
    'x',
    {},
    { cron: 1 },
    { cron: '0 0 * * *', missed: 'some' },
    { cron: '0 0 * * *', x: 1 },
  ])('422: %j', async (wire) => expect(await refusal(wire)).toMatchObject({ status: 422 }));
});

describe('minimum of 30 seconds between two runs', () => {
  const status = (cron: string) =>
    accept({ cron }).then(
      () => 200,
      (error: HttpError) => error.status,
    );

  test.each([
    ['* * * * * *', 400],
    ['*/29 * * * * *', 400],
    ['*/30 * * * * *', 200],
    ['0,30 * * * * *', 200],
    ['15,45 * * * * *', 200],
    ['0,31 * * * * *', 400],
    ['0,29 * * * * *', 400],
    ['0,50 * * * * *', 400],
    ['0,20 0 0 1 1 *', 400],
    ['0,50 0 0 1 1 *', 200],
    ['0,50 */2 * * * *', 200],
    ['0,50 0,1 0 1 1 *', 400],
    ['0,50 0,59 * * * *', 400],
    ['59 * * * * *', 200],
    ['* * * * *', 200],
  ])('%s returns %i', async (cron, expected) => expect(await status(cron)).toBe(expected));

  test('every accepted schedule keeps it across clock changes', async () => {
    const random = seededRandom(30);
    const pick = (values: readonly number[]) => values[Math.floor(random() * values.length)] ?? 0;
    // Days with clock changes by one hour, half an hour and two hours.
    const days = [
      ['America/New_York', '2026-11-01'],
      ['America/New_York', '2026-03-08'],
      ['Australia/Lord_Howe', '2026-04-04'],
      ['Australia/Lord_Howe', '2026-10-03'],
      ['Antarctica/Troll', '2026-10-24'],
      ['UTC', '2026-12-31'],
    ] as const;
    let accepted = 0;
    for (let i = 0; i < 150; i++) {
      const list = (values: readonly number[]) => [...new Set([pick(values), pick(values)])].join(',');
      const cron = `${list([0, 1, 10, 29, 30, 31, 50, 59])} ${list([0, 1, 15, 29, 30, 45, 58, 59])} ${random() < 0.5 ? '*' : list([0, 1, 2, 3, 23])} * * *`;
      if ((await status(cron)) !== 200) continue;
      accepted++;
      for (const [timezone, day] of days) {
        let slot = nextSlot({ cron, timezone }, at(`${day}T00:00:00Z`));
        for (const end = Date.parse(`${day}T00:00:00Z`) + 36 * 3_600_000; slot && slot.getTime() < end; ) {
          const next = nextSlot({ cron, timezone }, slot);
          if (next)
            expect(next.getTime() - slot.getTime(), `${cron} in ${timezone}`).toBeGreaterThanOrEqual(30_000);
          slot = next;
        }
      }
    }
    expect(accepted).toBeGreaterThan(20);
  });
});

describe('dueSlots', () => {
  const hourly = { cron: '0 * * * *', timezone: 'UTC' };
  const from = at('2026-01-01T01:00:00Z');

  test('a slot processed within 30 seconds fires under every policy', () => {
    for (const policy of ['skip', 'one', 'all'] as const) {
      expect(toIso(dueSlots(hourly, from, from, policy).slots)).toEqual(['2026-01-01T01:00:00.000Z']);
      expect(toIso(dueSlots(hourly, from, at('2026-01-01T01:00:30Z'), policy).slots)).toHaveLength(1);
      expect(dueSlots(hourly, from, at('2026-01-01T00:59:59.999Z'), policy).slots).toEqual([]);
    }
    expect(dueSlots(hourly, from, at('2026-01-01T01:00:30.001Z'), 'skip').slots).toEqual([]);
  });

  test('missed slots: skip fires none, one the newest, all every slot', () => {
    const to = at('2026-01-01T04:10:00Z');
    expect(dueSlots(hourly, from, to, 'skip').slots).toEqual([]);
    expect(toIso(dueSlots(hourly, from, to, 'one').slots)).toEqual(['2026-01-01T04:00:00.000Z']);
    expect(toIso(dueSlots(hourly, from, to, 'all').slots)).toEqual([
      '2026-01-01T01:00:00.000Z',
      '2026-01-01T02:00:00.000Z',
      '2026-01-01T03:00:00.000Z',
      '2026-01-01T04:00:00.000Z',
    ]);
  });

  test('under one, a slot on time replaces the missed slots', () => {
    const to = at('2026-01-01T04:00:01Z');
    for (const policy of ['skip', 'one'] as const)
      expect(toIso(dueSlots(hourly, from, to, policy).slots)).toEqual(['2026-01-01T04:00:00.000Z']);
    expect(dueSlots(hourly, from, to, 'all').slots).toHaveLength(4);
  });

  test('all fires the newest 100 missed slots and reports truncation', () => {
    const to = at('2026-01-05T05:30:00Z');
    const { slots, isTruncated } = dueSlots(hourly, from, to, 'all');
    expect(isTruncated).toBe(true);
    expect(slots).toHaveLength(MAX_CAUGHT_UP);
    expect(slots.at(-1)).toEqual(at('2026-01-05T05:00:00Z'));
    expect(slots[0]).toEqual(at('2026-01-01T02:00:00Z'));
    expect(dueSlots(hourly, at('2026-01-01T02:00:00Z'), to, 'all')).toEqual({ slots, isTruncated: false });
  });

  test('the cost of years of missed slots is bounded', () => {
    const startMs = performance.now();
    dueSlots(
      { cron: '*/30 * * * * *', timezone: 'America/New_York' },
      at('2000-01-01T00:00:00Z'),
      from,
      'all',
    );
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });
});

describe('clock changes', () => {
  const slotsBetween = (cron: string, timezone: string, from: string, to: string) =>
    toIso(dueSlots({ cron, timezone }, at(from), at(to), 'all').slots);
  const spring = ['America/New_York', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'] as const;
  const autumn = ['America/New_York', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'] as const;

  test('a fixed time in a gap fires at the first minute after the gap', () => {
    expect(slotsBetween('30 2 * * *', ...spring)).toEqual(['2026-03-08T07:00:00.000Z']);
  });
  test('a fixed time that occurs twice fires the first time', () => {
    expect(slotsBetween('30 1 * * *', ...autumn)).toEqual(['2026-11-01T05:30:00.000Z']);
  });
  test('lists, ranges and steps fire whenever the local time matches', () => {
    expect(slotsBetween('0,30 2 * * *', ...spring)).toEqual([]);
    expect(slotsBetween('0,30 1 * * *', ...autumn)).toEqual([
      '2026-11-01T05:00:00.000Z',
      '2026-11-01T05:30:00.000Z',
      '2026-11-01T06:00:00.000Z',
      '2026-11-01T06:30:00.000Z',
    ]);
  });
});

test.each(zones)('%s: slots equal the oracle around clock changes', (zone) => {
  const random = seededRandom(zones.indexOf(zone) + 1);
  let slots = 0;
  for (const day of [
    '2026-03-05',
    '2026-03-26',
    '2026-04-02',
    '2026-09-04',
    '2026-09-25',
    '2026-10-22',
    '2026-10-30',
  ]) {
    const compared = comparePure(randomPattern(random), zone, Date.parse(`${day}T00:00:00Z`), 6, random);
    expect(compared.difference).toBeUndefined();
    slots += compared.slots;
  }
  expect(slots).toBeGreaterThan(10);
});

test('the oracle handles a gap', () => {
  const pattern = { second: 0, minutes: [30], hours: [2] };
  const [from, to] = [Date.UTC(2026, 2, 5), Date.UTC(2026, 2, 11)];
  const right = oracleSlots(pattern, 'America/New_York', from, to);
  expect(right).toHaveLength(6);
  expect(right).toContain(Date.UTC(2026, 2, 8, 7));
  expect(toCron({ ...pattern, second: 5, weekdays: [1, 2] })).toBe('5 30 2 * * 1,2');
});

test('next_runs lists five slots, or none while the trigger is paused', () => {
  const trigger = {
    config: { cron: '*/5 * * * *', timezone: 'UTC', missed: 'one' },
    enabled: true,
  } as unknown as Trigger;
  const shown = schedule.fields?.(trigger, { publicUrl: () => '' }).next_runs as string[];
  expect(shown).toHaveLength(5);
  const [first = ''] = shown;
  expect(Date.parse(first)).toBeGreaterThan(Date.now());
  expect(Date.parse(first) % 300_000).toBe(0);
  for (const [index, slot] of shown.entries())
    expect(Date.parse(slot)).toBe(Date.parse(first) + index * 300_000);
  expect(schedule.fields?.({ ...trigger, enabled: false }, { publicUrl: () => '' })).toEqual({
    next_runs: [],
  });
});

test('a new trigger waits for its first slot', () => {
  const config = { cron: '0 * * * *', timezone: 'Asia/Kathmandu', missed: 'one' };
  expect(schedule.columns?.(config, at('2026-01-01T00:15:00Z'))).toEqual({
    nextSlotAt: at('2026-01-01T01:15:00Z'),
  });
});
