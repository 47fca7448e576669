import { expect, test } from 'vitest';
import { batch } from './batch.ts';

/** Answers with ten times the question when `release` is called; `calls` are the questions of each call. */
function slow(options?: { maxSize: number }) {
  const calls: number[][] = [];
  const releases: (() => void)[] = [];
  const ask = batch(async (questions: number[]) => {
    calls.push(questions);
    await new Promise<void>((resolve) => releases.push(resolve));
    if (questions.includes(13)) throw new Error('unlucky');
    return questions.map((question) => question * 10);
  }, options);
  return { ask, calls, release: () => releases.shift()?.() };
}

test('asks a single question immediately', async () => {
  const { ask, calls, release } = slow();
  const answer = ask(1);
  expect(calls).toEqual([[1]]);
  release();
  expect(await answer).toBe(10);
});

test('asks questions that arrive during a call together in the next call', async () => {
  const { ask, calls, release } = slow();
  const first = ask(1);
  const later = [ask(2), ask(3), ask(2)];
  release();
  expect(await first).toBe(10);
  expect(calls).toEqual([[1], [2, 3, 2]]);
  release();
  expect(await Promise.all(later)).toEqual([20, 30, 20]);
});

test('a call takes at most maxSize questions', async () => {
  const { ask, calls, release } = slow({ maxSize: 2 });
  const answers = [1, 2, 3, 4].map(ask);
  for (const answer of answers) {
    release();
    await answer;
  }
  expect(calls).toEqual([[1], [2, 3], [4]]);
});

test('a failure rejects the questions of its call and no others', async () => {
  const { ask, release } = slow();
  const first = ask(13);
  const second = ask(2);
  release();
  await expect(first).rejects.toThrow('unlucky');
  release();
  expect(await second).toBe(20);
  const third = ask(3);
  release();
  expect(await third).toBe(30);
});
