import { get } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

test('200: anybody gets the publishable key, and nothing else', async () => {
  expect(await get('billing/processor_config')).toMatchObject({
    status: 200,
    body: { publishable_key: 'pk_test_local' },
  });
  expect(Object.keys((await get('billing/processor_config')).body as object)).toEqual(['publishable_key']);
});
