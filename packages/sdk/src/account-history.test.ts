import { expect, test } from 'vitest';
import { createClient } from './index.ts';

const apiKey = Buffer.alloc(32, 7).toString('base64');

/** A client whose requests get the reply, and the parameters of the requests. */
function answered(reply: unknown) {
  const asked: object[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    asked.push(Object.fromEntries(new URL(String(input)).searchParams));
    return Response.json(reply);
  };
  return { client: createClient({ url: 'http://localhost', apiKey, fetch }), asked };
}

const change = {
  id: '7-1',
  event: 'GroupAdded',
  data: { group_id: '1' },
  at: '2026-01-01T00:00:00.000Z',
  block_number: '7',
  transaction_hash: '0x01',
  sender: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  is_sent_by_service: true,
  usage_key_hash: '0x2',
  signer: null,
};

test('a full page of changes has the parameters of the next one', async () => {
  const { client, asked } = answered([change]);
  const { items, nextPage } = await client.listAccountChanges({ pageSize: 1 });
  expect(items).toEqual([
    {
      id: '7-1',
      event: 'GroupAdded',
      data: { group_id: '1' },
      at: new Date('2026-01-01'),
      blockNumber: 7n,
      transactionHash: '0x01',
      sender: change.sender,
      isSentByService: true,
      usageKeyHash: 2n,
      signer: undefined,
    },
  ]);
  expect(nextPage).toEqual({ pageSize: 1, before: '7-1' });
  await client.listAccountChanges(nextPage);
  expect(asked).toEqual([{ page_size: '1' }, { page_size: '1', before: '7-1' }]);
  expect((await client.listAccountChanges()).nextPage).toBeUndefined();
});

const request = {
  id: 3,
  request_id: 'id',
  at: '2026-01-01T00:00:00.000Z',
  method: 'POST',
  route: '/core/v1/add_group',
  outcome: 'refused',
  status: 402,
  error: 'payment_required',
  duration_ms: 5,
  charged_micros: 0,
  key_hash: '0x2',
  omitted: 0,
};

test('a full page of requests has the parameters of the next one, and a key is sent as its hash', async () => {
  const { client, asked } = answered([request]);
  const { items, nextPage } = await client.listRequests({ pageSize: 1, key: 'a-usage-key' });
  expect(items).toMatchObject([{ requestId: 'id', status: 402, chargedMicros: 0n, keyHash: 2n }]);
  expect(nextPage).toMatchObject({ before: 3 });
  await client.listRequests({ ...nextPage, key: 5n });
  expect(JSON.stringify(asked)).not.toContain('a-usage-key');
  expect(asked[1]).toEqual({ page_size: '1', before: '3', key_hash: `0x${'5'.padStart(64, '0')}` });
});
