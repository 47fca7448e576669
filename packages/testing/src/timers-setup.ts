/**
 * Test files of a worker share its globals. A fake timer that one leaves behind never ends in the others, and a spy on one can leave it: before
 * each file this fails, with the name of the file before.
 */
import { afterAll, expect } from 'vitest';

const shared = globalThis as { realSetTimeout?: typeof setTimeout; fileBefore?: string };
shared.realSetTimeout ??= setTimeout;

if (setTimeout !== shared.realSetTimeout) {
  globalThis.setTimeout = shared.realSetTimeout;
  throw new Error(`${shared.fileBefore} has left a fake setTimeout`);
}
afterAll(() => {
  shared.fileBefore = expect.getState().testPath ?? 'the file before';
});
