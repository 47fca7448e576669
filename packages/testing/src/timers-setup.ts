/**
 * Test files of a worker share its globals. Before each file: fails when the file before has left a fake timer, on which the others would wait
 * for ever. A spy on a fake timer can.
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
