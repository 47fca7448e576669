import { expect, test } from 'vitest';
import { get, stack } from '../../../test/stack.ts';

test('200: the same with and without the prefix', async () => {
  const { status, body } = await get('version');
  expect(status).toBe(200);
  expect(body).toEqual({
    name: '@latchkey/relayer',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    commit: expect.any(String),
  });
  expect(await (await fetch(`${stack.url}/version`)).json()).toEqual(body);
});
