import { get } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';

test('returns 200 with only the publishable key, without authentication', async () => {
  expect(await get('billing/processor_config')).toMatchObject({
    status: 200,
    body: { publishable_key: 'pk_test_local' },
  });
  expect(Object.keys((await get('billing/processor_config')).body as object)).toEqual(['publishable_key']);
});
