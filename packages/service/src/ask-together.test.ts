import { expect, test } from 'vitest';
import { createAskTogether } from './ask-together.ts';

/** Questions that the test answers, in their order. */
function open() {
  const together = createAskTogether();
  const asked: PromiseWithResolvers<string>[] = [];
  const ask = (name = 'one') =>
    together(name, () => {
      const question = Promise.withResolvers<string>();
      asked.push(question);
      return question.promise;
    });
  return { ask, asked };
}

test('calls during a question share the next one, which is asked after the answer', async () => {
  const { ask, asked } = open();
  const first = ask();
  const later = [ask(), ask()];
  expect(asked.length).toBe(1);
  asked[0]?.resolve('old');
  expect(await first).toBe('old');
  await expect.poll(() => asked.length).toBe(2);
  const last = ask();
  asked[1]?.resolve('new');
  expect(await Promise.all(later)).toEqual(['new', 'new']);
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.resolve('newest');
  expect(await last).toBe('newest');
  void ask();
  expect(asked.length).toBe(4);
});

test('a failure rejects its own callers only', async () => {
  const { ask, asked } = open();
  const first = ask();
  const later = ask();
  asked[0]?.reject(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.resolve('found');
  expect(await later).toBe('found');
});

test('questions of other names do not wait', () => {
  const { ask, asked } = open();
  void ask('one');
  void ask('two');
  expect(asked.length).toBe(2);
});
