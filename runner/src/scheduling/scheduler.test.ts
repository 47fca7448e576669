import { describe, expect, test } from 'vitest';
import {
  advance,
  canTakeNow,
  type Decision,
  emptyState,
  type Limits,
  type SchedulerEvent,
} from './scheduler.ts';

const limits: Limits = { size: 4, maxTaken: 12, maxTakenPerAccount: 6, maxStarting: 2 };

/** The caller `a1` is of account `a`. */
const accountOf = (caller: string): bigint => BigInt(caller.charCodeAt(0));

const events: Record<string, (name: string) => SchedulerEvent<string, string>> = {
  asks: (caller) => ({ type: 'asked', account: accountOf(caller), caller }),
  'gives up': (caller) => ({ type: 'gave up', account: accountOf(caller), caller }),
  starts: (process) => ({ type: 'started', process }),
  ends: (process) => ({ type: 'run ended', process }),
  returns: (process) => ({ type: 'given back', process }),
  exits: (process) => ({ type: 'exited', process }),
  fails: () => ({ type: 'start failed' }),
  retries: () => ({ type: 'retry' }),
  closes: () => ({ type: 'closing' }),
};

const textOf = (decision: Decision<string, string>): string => {
  if (decision.type === 'give') return `${decision.caller} has ${decision.process}`;
  if (decision.type === 'weigh') return `${decision.process} weighs 1/${1 / decision.part}`;
  if (decision.type === 'kill') return `${decision.process} is killed`;
  if (decision.type === 'refuse') return `${decision.caller} is refused: ${decision.reason}`;
  return decision.type;
};

/** A scheduler whose processes 1, 2, ... are idle. */
function open(changed: Partial<Limits> = {}, idle = changed.size ?? limits.size) {
  const all = { ...limits, ...changed };
  let state = emptyState<string, string>();
  /** Tells `a1 asks`, and returns all decisions but weights. */
  const tell = (text: string): string[] => {
    const [, name = '', event = ''] = /^(\S+) (.*)$/.exec(text) ?? [];
    const step = advance(all, state, (events[event] as (typeof events)[string])(name));
    state = step.state;
    weights.push(...step.decisions.filter(({ type }) => type === 'weigh').map(textOf));
    return step.decisions.filter(({ type }) => type !== 'weigh').map(textOf);
  };
  const weights: string[] = [];
  tell('it retries');
  for (let process = 1; process <= idle; process++) tell(`${process} starts`);
  return {
    tell,
    /** Tells the events, and returns the decisions of the last one. */
    tellAll: (...texts: string[]): string[] => texts.map(tell).at(-1) ?? [],
    weights,
    state: () => state,
    canTakeNow: (caller: string) => canTakeNow(all, state, accountOf(caller)),
  };
}

type Row = [after: string[], decisions: string[]];
/** Each row: events, and the decisions after the last one. */
const table = (rows: Record<string, Row>, changed: Partial<Limits> = {}) =>
  test.each(Object.entries(rows))('%s', (_title, [after, decisions]) => {
    expect(open(changed).tellAll(...after)).toEqual(decisions);
  });

describe('promise 1: an account leaves as many idle processes as it has runs, at most half of the pool', () => {
  table({
    'the first run takes any': [['a1 asks'], ['a1 has 1']],
    'the second leaves one': [['a1 asks', 'a2 asks'], ['a2 has 2']],
    'the third leaves two': [['a1 asks', 'a2 asks', 'a3 asks'], ['start']],
    'which another account takes': [
      ['a1 asks', 'a2 asks', 'a3 asks', 'b1 asks'],
      ['b1 has 3', 'start'],
    ],
    'all of them': [['a1 asks', 'a2 asks', 'a3 asks', 'b1 asks', 'c1 asks'], ['c1 has 4']],
    'the third takes one that is started for it': [
      ['a1 asks', 'a2 asks', 'a3 asks', '5 starts'],
      ['a3 has 3'],
    ],
    'a run that has ended does not count': [['a1 asks', 'a2 asks', 'a3 asks', '1 ends'], ['a3 has 3']],
  });

  test('a pool of one process keeps none for other accounts', () => {
    expect(open({ size: 1 }).tellAll('a1 asks', '2 starts', 'a2 asks')).toEqual(['a2 has 2', 'start']);
  });
});

describe('promise 2: accounts take turns, however many runs each has waiting', () => {
  test('a run waits for one run of each other account', () => {
    const { tell, state } = open({ size: 1, maxTaken: 1 });
    for (const caller of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) tell(`${caller} asks`);
    const served: string[] = [];
    for (let process = 1; state().taken.size > 0; process++) {
      tell(`${process} exits`);
      served.push(...tell(`${process + 1} starts`).filter((text) => text.includes('has')));
    }
    expect(served.map((text) => text.slice(0, 2))).toEqual(['a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  test('an account that cannot take a process does not hold up the next', () => {
    const { tellAll } = open({ maxTakenPerAccount: 1 });
    expect(tellAll('a1 asks', 'a2 asks', 'b1 asks')).toEqual(['b1 has 2']);
  });

  test('a run takes no idle process while another one waits, and none that its account leaves', () => {
    const { tellAll, canTakeNow } = open();
    expect(canTakeNow('a1')).toBe(true);
    tellAll('a1 asks', 'a2 asks');
    expect([canTakeNow('a3'), canTakeNow('b1')]).toEqual([false, true]);
    tellAll('a3 asks');
    expect(canTakeNow('b1')).toBe(false);
    tellAll('a3 gives up');
    expect(canTakeNow('b1')).toBe(true);
    tellAll('it closes');
    expect(canTakeNow('b1')).toBe(false);
  });
});

describe('promise 3: an account has at most its maximum of processes, and all together theirs, until they have exited', () => {
  const own = { maxTakenPerAccount: 1 };
  table(
    {
      'a second run waits': [['a1 asks', 'a2 asks'], []],
      'also when the first has ended': [['a1 asks', 'a2 asks', '1 ends'], ['start']],
      'until its process has exited': [['a1 asks', 'a2 asks', '1 ends', '1 exits'], ['a2 has 2']],
      'or was given back': [['a1 asks', 'a2 asks', '1 returns'], ['a2 has 2']],
    },
    own,
  );
  test('a run of any account waits at the maximum of all', () => {
    const { tellAll } = open({ maxTaken: 2 });
    expect(tellAll('a1 asks', 'b1 asks', 'c1 asks')).toEqual([]);
    expect(tellAll('1 ends', '1 exits')).toEqual(['c1 has 3']);
  });
});

describe('promise 4: the runs of an account have one weight together, an account alone all of the machine', () => {
  test('each run has an equal part, from its begin to its end', () => {
    const { tell, weights } = open();
    const weightsAfter = (text: string): string[] => {
      weights.length = 0;
      tell(text);
      return weights;
    };
    expect(weightsAfter('a1 asks')).toEqual(['1 weighs 1/1']);
    expect(weightsAfter('a2 asks')).toEqual(['1 weighs 1/2', '2 weighs 1/2']);
    expect(weightsAfter('b1 asks')).toEqual(['3 weighs 1/1']);
    expect(weightsAfter('2 ends')).toEqual(['1 weighs 1/1']);
    expect(weightsAfter('2 exits')).toEqual([]);
    tell('5 starts');
    expect(weightsAfter('a3 asks')).toEqual(['1 weighs 1/2', '4 weighs 1/2']);
    expect(weightsAfter('4 returns')).toEqual(['1 weighs 1/1']);
  });

  test('an account alone has as many runs as its maximum, each with a process that is started for it', () => {
    const { tell, state } = open();
    for (let run = 1; run <= 8; run++) tell(`a${run} asks`);
    for (let process = 5; state().starting > 0; process++) tell(`${process} starts`);
    expect([state().taken.size, state().idle.length]).toEqual([6, 2]);
  });
});

describe('promise 5: a process starts during the runs of others only when a run needs it or half of the pool is taken', () => {
  table({
    'no start during a first run': [['a1 asks'], ['a1 has 1']],
    'nor during a second': [['a1 asks', 'b1 asks'], ['b1 has 2']],
    'one during a third, as less than half is left': [
      ['a1 asks', 'b1 asks', 'c1 asks'],
      ['c1 has 3', 'start'],
    ],
    'one when a run has ended': [['a1 asks', '1 ends'], ['start']],
    'one after the other': [['a1 asks', 'b1 asks', '1 ends', '2 ends'], []],
    'until all are replaced': [['a1 asks', 'b1 asks', '1 ends', '2 ends', '5 starts'], ['start']],
    'and no further one': [['a1 asks', '1 ends', '5 starts', '1 exits'], []],
    'as many as there are processors while runs wait': [
      ['a1 asks', 'a2 asks', 'a3 asks', 'a4 asks'],
      ['start'],
    ],
    'and no more': [['a1 asks', 'a2 asks', 'a3 asks', 'a4 asks', 'a5 asks'], []],
    'none for runs above the maximum of their account': [
      [
        'a1 asks',
        'a2 asks',
        ...[3, 4, 5, 6].flatMap((run) => [`a${run} asks`, `${run + 2} starts`]),
        'a7 asks',
      ],
      [],
    ],
    'a process that no run needs any longer stays, up to the size of the pool': [
      ['a1 asks', 'a2 asks', 'a3 asks', 'a3 gives up', '5 starts', '1 returns'],
      [],
    ],
    'and is killed beyond it': [
      ['a1 asks', 'a2 asks', 'a3 asks', 'a3 gives up', '5 starts', '1 returns', '2 returns'],
      ['2 is killed'],
    ],
  });
});

describe('promise 6: when processes do not start, runs are refused after three failures, and starts pause after each', () => {
  const refused = 'a1 is refused: failed to start a process';
  test.each<[title: string, after: string[], decisions: string[]]>([
    ['a pause after a failure', ['it fails'], ['pause']],
    ['no start in the pause', ['it fails', 'a1 asks'], []],
    ['starts after it', ['it fails', 'a1 asks', 'it retries'], ['start', 'start']],
    ['one pause for failures together', ['a1 asks', 'it fails', 'it fails'], []],
    ['the third refuses', ['a1 asks', 'it fails', 'it fails', 'it retries', 'it fails'], [refused, 'pause']],
    [
      'a process that is given ends the count',
      ['a1 asks', 'it fails', 'it fails', 'it retries', '1 starts', 'b1 asks', 'it fails'],
      ['pause'],
    ],
  ])('%s', (_title, after, decisions) => {
    expect(open({}, 0).tellAll(...after)).toEqual(decisions);
  });

  test('an idle process that exits is a failure', () => {
    expect(open().tellAll('1 exits')).toEqual(['pause']);
  });
});

describe('a scheduler that closes', () => {
  table({
    'refuses the runs that wait': [
      ['a1 asks', 'a2 asks', 'a3 asks', 'it closes'],
      ['a3 is refused: the runtime is closed'],
    ],
    'refuses later ones': [['it closes', 'a1 asks'], ['a1 is refused: the runtime is closed']],
    'starts no process': [['a1 asks', 'it closes', '1 ends'], []],
  });
});

test.each(['9 exits', '9 returns', '9 ends', 'a9 gives up'])(
  '%s: changes nothing that the scheduler does not know',
  (text) => {
    const { tell, state } = open();
    const before = state();
    expect(tell(text)).toEqual([]);
    expect(state()).toEqual(before);
  },
);
