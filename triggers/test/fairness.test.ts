import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@latchkey/testing/until';
import { expect, test } from 'vitest';
import { addRuns, addTrigger, addUser, usageKey } from './fixtures.ts';
import { startService } from './service.ts';

const RUN_MS = 200;
const ROUNDS = 15;
const MAX_CONCURRENT = 16;
const MAX_CONCURRENT_PER_ACCOUNT = 12;

// Measured in runs of other users, because time depends on the machine.
test.each([
  [1, 200],
  [1, 3_000],
  // The other accounts together reach maxConcurrent.
  [2, 3_000],
])(
  'with %i flooding users and %i queued runs, a run waits for at most two rounds of concurrent runs',
  {
    timeout: 600_000,
  },
  async (others, queued) => {
    const { url, relayer, context, db, dispose } = await startService();
    try {
      const started = { others: 0, own: 0 };
      relayer.behave = ({ body }) => {
        started[body.js_params?.of as 'others' | 'own']++;
        return { kind: 'hang', until: delay(RUN_MS) };
      };
      const add = async (of: string) => {
        const [userId, id] = [await addUser(db), crypto.randomUUID()];
        const usageApiKey = context.sealer.seal(usageKey, id);
        return addTrigger(db, userId, { id, usageApiKey, defaultParams: { of } });
      };
      const post = async ({ id }: { id: string }) => {
        const response = await fetch(`${url}/webhook/${id}`, { method: 'POST', body: 'x' });
        await response.text();
        expect(response.status).toBe(202);
      };
      const own = await add('own');
      const flooded = await Promise.all(Array.from({ length: others }, () => add('others')));
      for (const trigger of flooded) await addRuns(db, trigger, queued / others);
      context.worker.wake();
      const limit = Math.min(others * MAX_CONCURRENT_PER_ACCOUNT, MAX_CONCURRENT);
      await until('the flooding users run at their limit', async () => started.others >= limit);

      let [isOver, sent] = [false, 0];
      const flooding = (async () => {
        for (; !isOver; sent++) {
          await post(flooded[sent % others] ?? own);
          await delay(5);
        }
      })();
      const overtaking: number[] = [];
      try {
        for (let round = 1; round <= ROUNDS; round++) {
          await delay(Math.random() * 50);
          await post(own);
          const before = started.others;
          await until('the run starts', async () => started.own === round);
          overtaking.push(started.others - before);
        }
      } finally {
        isOver = true;
        await flooding;
      }
      expect(queued + sent - started.others).toBeGreaterThan(0);
      // The runs in flight, and the runs of a claim in progress.
      expect(Math.max(...overtaking)).toBeLessThanOrEqual(2 * MAX_CONCURRENT);
    } finally {
      await dispose();
    }
  },
);
