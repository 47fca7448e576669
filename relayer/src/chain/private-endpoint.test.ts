import { connectChain } from '@latchkey/chain/chain';
import { UnsettledTransactionError } from '@latchkey/chain/errors';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { startHttpProxy } from '@latchkey/testing/message-proxies';
import { rpcProxy } from '@latchkey/testing/rpc-proxy';
import { until } from '@latchkey/testing/until';
import { expect, test } from 'vitest';
import { accountCall, openOutboxFixture } from '../../test/outbox-fixture.ts';

const fixture = disposeAfterAll(await openOutboxFixture({ payerCount: 1 }));

/** Payers whose transactions have an endpoint of their own, and the methods that their public node is asked. */
async function withPrivateEndpoint() {
  const stack = new AsyncDisposableStack();
  const endpoint = stack.use(await rpcProxy(fixture.anvil.url));
  const publicMethods = new Set<string>();
  const proxy = await startHttpProxy(
    fixture.anvil.url,
    (_line, body) => body,
    (body) => {
      for (const [, method = ''] of body.matchAll(/"method":"(\w+)"/g)) publicMethods.add(method);
      return false;
    },
  );
  stack.use(proxy);
  const chain = connectChain({
    chainId: 31_337,
    name: 'test',
    token: 'ETH',
    pollingIntervalMs: 100,
    rpcUrls: [proxy.url],
    privateRpcUrl: endpoint.url,
    wsUrls: [],
  });
  stack.defer(chain.close);
  return { chain, endpoint, publicMethods, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('every transaction goes to the private endpoint, with and without batches, and reads stay at the node', async () => {
  await using own = await withPrivateEndpoint();
  const payers = fixture.payers({ chain: own.chain });
  await payers.start();
  for (const takesBatches of [true, false]) {
    own.endpoint.takesBatches = takesBatches;
    const names = ['a', 'b', 'c'].map((name) => `${name} ${takesBatches}`);
    const receipts = await Promise.all(names.map((name) => payers.send(accountCall(name))));
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
  }
  expect(own.publicMethods).toContain('eth_estimateGas');
  expect(own.publicMethods).not.toContain('eth_sendRawTransaction');
  await payers.close();
});

test('an outage of the private endpoint fails the write, which never reaches the public node and is sent afterwards', async () => {
  await using own = await withPrivateEndpoint();
  own.endpoint.broken = true;
  const payers = fixture.payers({ chain: own.chain, timeoutMs: 1_000 });
  await payers.start();
  await expect(payers.send(accountCall('outage'))).rejects.toThrow(UnsettledTransactionError);
  const [stored] = await fixture.store.pending(0);
  const hash = stored?.hashes[0] as `0x${string}`;
  await expect(fixture.anvil.client.getTransaction({ hash })).rejects.toThrow('could not be found');
  expect(own.publicMethods).not.toContain('eth_sendRawTransaction');
  own.endpoint.broken = false;
  await until('the transaction is settled', async () => {
    const pending = await fixture.store.pending(0);
    return pending.length === 0;
  });
  expect(await fixture.anvil.client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
  expect(own.publicMethods).not.toContain('eth_sendRawTransaction');
  await payers.close();
});
