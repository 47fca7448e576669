import type { KeyPurpose, KeyStatement } from '@latchkey/key-protocol';
import { expect, test } from 'vitest';
import type { KeyNodes } from '../keys/key-nodes.ts';
import { KeyNodesUnavailableError } from '../runners/errors.ts';
import { openRunKeys } from './run-keys.ts';

/** The keys of the run `run` of the action `cid` by the usage key 5, and what the nodes were told of it. */
function open() {
  const asked: Parameters<KeyNodes['askFor']>[] = [];
  const keyNodes = {
    askFor: (...args: Parameters<KeyNodes['askFor']>) => {
      asked.push(args);
      return async () => ({ isRefused: true, message: '' });
    },
  } as unknown as KeyNodes;
  const actionKeys = { publish() {}, certificateOf: async () => '' };
  const opened = openRunKeys(
    { actionKeys, db: undefined as never, keyNodes },
    { account: 1n, hash: 5n, cid: 'cid', runId: 'run', minBlock: 9n },
  );
  const [[isOwn, minBlock] = expect.unreachable()] = asked;
  return { ...opened, isOwn, minBlock };
}

const statement = (purpose: object, run: string) => ({ purpose: purpose as KeyPurpose, run }) as KeyStatement;
const own = { kind: 'wallet', cid: 'cid', usageKeyHash: '0x05' };

test('asks nodes that have the block of the run', () => {
  expect(open().minBlock).toBe(9n);
});

test.each([
  ['of its action, usage key and id', own, 'run', true],
  ['of another action', { ...own, cid: 'other' }, 'run', false],
  ['of another usage key', { ...own, usageKeyHash: '0x06' }, 'run', false],
  ['of another run', own, 'other', false],
  ['of a mint', { kind: 'mint-wallet', path: '1' }, 'run', false],
  ['for nonces, which give no key', { kind: 'nonces' }, 'other', true],
])('a run can send a statement %s: %4$s', (_what, purpose, run, isOwn) => {
  expect(open().isOwn(statement(purpose, run))).toBe(isOwn);
});

test('remembers the last outage', () => {
  const { keys, outage } = open();
  expect(outage()).toBeUndefined();
  keys.onOutage('1 of 3 key nodes answers');
  expect(outage()).toBeInstanceOf(KeyNodesUnavailableError);
  expect(outage()).toMatchObject({ message: expect.stringContaining('1 of 3 key nodes answers') });
});
