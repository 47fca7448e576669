import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromRunner, toRunner } from './messages.ts';
import { sendRequest } from './transactions.ts';

const pkpId = '0x6CE7cE7fc17E79F5A2E8cAc4b9b93E55Ac8d8fD5'.toLowerCase();
const request = { pkpId, chainId: 5, to: pkpId };

test('a checked request fits the schema again, unchanged', () => {
  const once = sendRequest.parse({ ...request, value: '0x10', gas: 7, data: '0xAB', idempotencyKey: 'a b' });
  expect(once).toMatchObject({ value: '16', gas: '7' });
  expect(sendRequest.parse(JSON.parse(JSON.stringify(once)))).toEqual(once);
});

test('any arguments are a request or refused, and none makes the messages throw otherwise', () => {
  const value = fc.oneof(
    fc.constantFrom(pkpId, '0x', '0x12', null, undefined, '1e9', 2 ** 53, `0x${'f'.repeat(64)}`),
    fc.anything(),
  );
  const fields = fc.dictionary(
    fc.constantFrom(
      'pkpId',
      'chainId',
      'to',
      'value',
      'data',
      'gas',
      'maxFeePerGas',
      'idempotencyKey',
      'nonce',
    ),
    value,
  );
  fc.assert(
    fc.property(fields, (changes) => {
      const parsed = sendRequest.safeParse({ ...request, ...changes });
      const message = { type: 'send transaction', call: 1, run: 1, transaction: parsed.data };
      if (parsed.success) expect(fromRunner.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
    }),
  );
});

test('amounts above 256 bits are refused in messages of the relayer', () => {
  const fees = { maxFeePerGas: '1', maxPriorityFeePerGas: '1' };
  const message = {
    type: 'sign transaction',
    call: 1,
    attempt: 1,
    nonce: 0,
    gas: '1',
    forms: [fees],
    cancel: { ...fees, gas: '1' },
  };
  expect(toRunner.safeParse(message).success).toBe(true);
  for (const gas of [String(2n ** 256n), '-1', '1.5', ''])
    expect(toRunner.safeParse({ ...message, gas }).success).toBe(false);
});
