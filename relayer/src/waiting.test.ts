import { ChainUnavailableError } from '@latchkey/chain/errors';
import { freePort, until } from '@latchkey/testing/until';
import { expect, test } from 'vitest';
import { whenChainAnswers } from './waiting.ts';

const connections = { total: 10, perAddress: 10, unsentBytes: 1_000_000, takeTimeoutMs: 1_000 };
const configOf = (port: number) => ({ logLevel: 'silent', host: '127.0.0.1', port, connections }) as const;

test('answers as live and not ready while the chain cannot be asked, and leaves the port afterwards', async () => {
  const port = await freePort();
  let answers = false;
  let attempts = 0;
  const opened = whenChainAnswers(configOf(port), async () => {
    attempts++;
    if (answers) return 'opened';
    throw new ChainUnavailableError('the node answers slowly');
  });
  const look = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  await until('the process is live', async () => (await look('/live').catch(() => 0)) === 200);
  expect(await Promise.all(['/ready', '/health', '/core/v1/version'].map(look))).toEqual([503, 503, 503]);
  answers = true;
  expect(await opened).toBe('opened');
  expect(attempts).toBe(2);
  await expect(look('/live')).rejects.toThrow();
});

test('rejects with any other failure of a part, also after a wait', async () => {
  let attempts = 0;
  const open = async () => {
    attempts++;
    throw attempts === 1 ? new ChainUnavailableError('away') : new Error('RPC_URL serves chain 1');
  };
  await expect(whenChainAnswers(configOf(await freePort()), open)).rejects.toThrow('serves chain 1');
  await expect(whenChainAnswers(configOf(await freePort()), open)).rejects.toThrow('serves chain 1');
  expect(attempts).toBe(3);
});
