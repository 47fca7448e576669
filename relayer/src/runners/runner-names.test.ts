import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  answered,
  lookupIntervalMs,
  MAX_ADDRESSES,
  namesIn,
  type Place,
  planConnections,
  type RunnerName,
  unanswered,
} from './runner-names.ts';

const [name, other, elsewhere] = namesIn([
  'unix:/socket',
  'dns+wss://runners.test:8200',
  'dns+wss://other.test:8200',
  'dns+wss://other.test:8201',
]) as [RunnerName, RunnerName, RunnerName];
const many = Array.from({ length: 1_000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
const at = (of: RunnerName, address: string): Place => ({ url: of.url, port: of.port, address });
const open = (place: Place) => ({ ...place, isOpen: true });
const away = (place: Place) => ({ ...place, isOpen: false });
const nothing = { open: [], close: [], leaving: [] };

test('finds the names among the runners, and their positions', () => {
  expect(name).toEqual({
    url: 'wss://runners.test:8200',
    host: 'runners.test',
    port: '8200',
    position: 2,
    addresses: [],
    fault: undefined,
  });
  expect(namesIn(['wss://one.test:8200', 'ws://127.0.0.1:8200'])).toEqual([]);
});

describe('an answer', () => {
  test('gives each address once', () => {
    expect(answered(name, ['10.0.0.1', '10.0.0.2', '10.0.0.1']).addresses).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  test('of 1,000 addresses gives a hundred, in whatever order they come', () => {
    const first = answered(name, many);
    expect(first.addresses).toHaveLength(MAX_ADDRESSES);
    expect(first.fault).toBe('entry 2 of RUNNER_URLS has 1000 addresses, of which 100 are used');
    expect(answered(first, many.toReversed()).addresses).toEqual(first.addresses);
  });

  test('without an address is a fault that the next answer ends', () => {
    const empty = answered(answered(name, ['10.0.0.1']), []);
    expect(empty).toMatchObject({ addresses: [], fault: 'entry 2 of RUNNER_URLS has no address' });
    expect(answered(empty, ['10.0.0.2'])).toMatchObject({ addresses: ['10.0.0.2'], fault: undefined });
  });

  test('that does not come changes no address, and is a fault that the next answer ends', () => {
    const failed = unanswered(answered(name, ['10.0.0.1']));
    expect(failed).toMatchObject({
      addresses: ['10.0.0.1'],
      fault: 'DNS does not answer for entry 2 of RUNNER_URLS',
    });
    expect(answered(failed, ['10.0.0.1']).fault).toBeUndefined();
  });

  test('is asked for sooner while a runner or an answer is missing', () => {
    const found = answered(name, ['10.0.0.1']);
    expect(lookupIntervalMs(found, true)).toBe(5_000);
    expect(lookupIntervalMs(found, false)).toBe(1_000);
    expect(lookupIntervalMs(unanswered(found), true)).toBe(1_000);
  });
});

describe('the plan', () => {
  const found = answered(name, ['10.0.0.1', '10.0.0.2']);

  test('opens what is new, and keeps what is there, connected or not', () => {
    const [first, second] = [at(name, '10.0.0.1'), at(name, '10.0.0.2')];
    expect(planConnections([found], [])).toEqual({ ...nothing, open: [first, second] });
    expect(planConnections([found], [away(first)])).toEqual({ ...nothing, open: [second] });
    expect(planConnections([found], [away(first), open(second)])).toEqual(nothing);
  });

  test('closes an address that DNS no longer names only when no runner is connected there', () => {
    const gone = at(name, '10.0.0.9');
    const present = [open(at(name, '10.0.0.1')), open(at(name, '10.0.0.2'))];
    expect(planConnections([found], [...present, away(gone)])).toEqual({ ...nothing, close: [away(gone)] });
    expect(planConnections([found], [...present, open(gone)])).toEqual({ ...nothing, leaving: [open(gone)] });
  });

  test('leaves no runner when DNS names it again', () => {
    const runner = open(at(name, '10.0.0.1'));
    expect(planConnections([answered(name, [])], [runner]).leaving).toEqual([runner]);
    expect(planConnections([answered(name, ['10.0.0.1'])], [runner])).toEqual(nothing);
  });

  test('connects once to an address of two names, under the first, and twice to two ports', () => {
    const names = [name, other, elsewhere].map((each) => answered(each, ['10.0.0.1']));
    const [first, second, third] = [name, other, elsewhere].map((each) => at(each, '10.0.0.1')) as [
      Place,
      Place,
      Place,
    ];
    expect(planConnections(names, []).open).toEqual([first, third]);
    // A connection of the second name stays while it is open, and makes room for the first name otherwise.
    expect(planConnections(names, [open(second), open(third)])).toEqual(nothing);
    expect(planConnections(names, [away(second), open(third)])).toEqual({
      open: [first],
      close: [away(second)],
      leaving: [],
    });
  });

  const address = fc.constantFrom(...many.slice(0, 6));
  const answer = fc.option(fc.array(address, { maxLength: 8 }));
  const step = fc.record({ of: fc.nat(2), answer, isOpen: fc.array(fc.boolean(), { maxLength: 20 }) });
  test('for any answers and losses closes no open connection, and has one per runner that DNS names', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let names = [name, other, elsewhere];
        let present: (Place & { isOpen: boolean })[] = [];
        for (const { of, answer: found, isOpen } of steps) {
          names = names.map((each, i) =>
            i === of ? (found ? answered(each, found) : unanswered(each)) : each,
          );
          present = present.map((each, i) => ({ ...each, isOpen: isOpen[i] ?? false }));
          const plan = planConnections(names, present);
          expect(plan.close.filter((each) => each.isOpen)).toEqual([]);
          present = [...present.filter((each) => !plan.close.includes(each)), ...plan.open.map(away)];
          const runners = present.map((each) => `${each.address} ${each.port}`);
          expect(new Set(runners).size).toBe(runners.length);
          const named = names.flatMap(({ addresses, port }) => addresses.map((each) => `${each} ${port}`));
          expect(new Set([...named, ...plan.leaving.map((each) => `${each.address} ${each.port}`)])).toEqual(
            new Set(runners),
          );
          const again = planConnections(names, present);
          expect([again.open, again.close]).toEqual([[], []]);
        }
      }),
    );
  });
});
