import { inspect } from 'node:util';
import { createPublicClient, http } from 'viem';
import { expect, test } from 'vitest';
import { ChainUnavailableError, toChainError, withoutUrl } from './errors.ts';

test('logged errors never contain the URL of the node, which can contain a key', async () => {
  const client = createPublicClient({
    transport: http('http://127.0.0.1:9/v2/secret?key=secret', { retryCount: 0 }),
  });
  const thrown = await client.getChainId().catch((error: unknown) => error);
  expect(inspect(thrown)).toContain('secret');
  const error = toChainError(thrown);
  expect(error).toBeInstanceOf(ChainUnavailableError);
  expect(inspect(error)).not.toContain('secret');
  expect(inspect(withoutUrl(thrown))).toMatch(/HTTP request failed/);
  expect(inspect(withoutUrl(thrown))).not.toContain('secret');
});
