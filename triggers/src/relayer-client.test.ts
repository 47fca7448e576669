import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createRelayerClient, RelayerUnavailableError } from './relayer-client.ts';

test('the 403 of a proxy is an outage, not a refusal of the account', async () => {
  const proxy = createServer((_req, res) => res.writeHead(403).end('<h1>Forbidden</h1>')).listen(
    0,
    '127.0.0.1',
  );
  onTestFinished(() => void proxy.close());
  await new Promise((resolve) => proxy.once('listening', resolve));
  const relayer = createRelayerClient([`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`]);
  await expect(relayer.getAdmin(`0x${'1'.repeat(64)}`)).rejects.toThrow(RelayerUnavailableError);
});
