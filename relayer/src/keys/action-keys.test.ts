import { createLogger } from '@latchkey/service/logger';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { createActionKeys } from './action-keys.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const nodes = async () => ({ isRefused: true as const, message: '' });
const actionOf = (cid: string) => ({ usageKeyHash: 5n, cid, runId: 'run' });

const database = disposeAfterAll(await openTestDatabase());

/** Certificates of runners that fail the first `failures` times, and wait for `answer`. */
function start(failures = 0, answer: Promise<void> = Promise.resolve()) {
  const asked: string[] = [];
  const runners = {
    async certify({ cid }: { cid: string }) {
      asked.push(cid);
      await answer;
      if (asked.length <= failures) throw new Error('no node answers');
      return `certificate of ${cid}`;
    },
  };
  const keys = createActionKeys({ db: database.db, runners, log });
  return { asked, keys };
}

test('stores the certificate of an action after its first run, once', async () => {
  const { asked, keys } = start();
  for (let run = 0; run < 3; run++) keys.publish(actionOf('first'), nodes);
  expect(await keys.certificateOf('first')).toBe('certificate of first');
  keys.publish(actionOf('first'), nodes);
  const other = start();
  other.keys.publish(actionOf('first'), nodes);
  other.keys.publish(actionOf('second'), nodes);
  expect(await other.keys.certificateOf('second')).toBe('certificate of second');
  expect([asked, other.asked]).toEqual([['first'], ['second']]);
});

test('asks again after a later run when no node answered', async () => {
  const { asked, keys } = start(1);
  keys.publish(actionOf('late'), nodes);
  await expect(keys.certificateOf('late')).rejects.toMatchObject({ name: 'ActionKeyError' });
  keys.publish(actionOf('late'), nodes);
  expect(await keys.certificateOf('late')).toBe('certificate of late');
  expect(asked).toEqual(['late', 'late']);
});

test('asks for one certificate at a time, and for none beyond 1,000 that wait', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { asked, keys } = start(0, promise);
  for (let i = 0; i <= 1_000; i++) keys.publish(actionOf(`waiting ${i}`), nodes);
  await expect.poll(() => asked).toEqual(['waiting 0']);
  await expect(keys.certificateOf('waiting 1000')).rejects.toMatchObject({ name: 'ActionKeyError' });
  resolve();
  expect(await keys.certificateOf('waiting 999')).toBe('certificate of waiting 999');
  expect(asked).toHaveLength(1_000);
});

test('rejects for an action that has not run', async () => {
  await expect(start().keys.certificateOf('never')).rejects.toMatchObject({ name: 'ActionKeyError' });
});
