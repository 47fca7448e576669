import { expect, test, vi } from 'vitest';
import { until } from './until.ts';

test('a deadline that passes between two probes makes no warning of a negative timeout', async () => {
  const warned = vi.fn((_warning: Error) => {});
  process.on('warning', warned);
  // The next probe begins 20 ms after the first one.
  await expect(until('it is done', async () => false, 10)).rejects.toThrow('Not within 10 ms: it is done');
  await new Promise(setImmediate);
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});
