import { get, stack } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

test('returns 200 with the same body with and without the prefix', async () => {
  const { status, body } = await get('version');
  expect(status).toBe(200);
  expect(body).toEqual({
    name: '@latchkey/relayer',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    commit: expect.any(String),
  });
  expect(await (await fetch(`${stack.url}/version`)).json()).toEqual(body);
});
