import { createLogger } from '@latchkey/service/logger';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { processorCustomers } from '../db/schema.ts';
import { createPayments } from './card-payments.ts';
import { type CardProcessor, ProcessorUnavailableError, UnknownCustomerError } from './card-processor.ts';

const database = disposeAfterAll(await openTestDatabase());

test('replaces the customer of an account that does not exist at Stripe any more', async () => {
  const calls: string[] = [];
  const processor = {
    createCustomer: async (_account, replaced) => {
      calls.push(`customer instead of ${replaced}`);
      return replaced === undefined ? 'cus_1' : 'cus_2';
    },
    createIntent: async (_payer, { customer }) => {
      calls.push(`intent of ${customer}`);
      if (customer === 'cus_1') throw new UnknownCustomerError('gone');
      return { id: 'pi_1', clientSecret: 'secret' };
    },
  } satisfies Partial<CardProcessor> as unknown as CardProcessor;
  const log = createLogger({ name: 'test', level: 'silent' });
  const { createIntent } = createPayments(database.db, processor, log);
  expect(await createIntent({ account: 7n, owner: 7n }, 500, 'first')).toMatchObject({ id: 'pi_1' });
  await createIntent({ account: 7n, owner: 7n }, 500, 'second');
  expect(calls).toEqual([
    'customer instead of undefined',
    'intent of cus_1',
    'customer instead of cus_1',
    'intent of cus_2',
    'intent of cus_2',
  ]);
  expect(await database.db.select().from(processorCustomers)).toMatchObject([{ customer: 'cus_2' }]);
});

test('keeps the customer of an account while Stripe is down', async () => {
  let customers = 0;
  const processor = {
    createCustomer: async () => `cus_${++customers}`,
    createIntent: () => Promise.reject(new ProcessorUnavailableError('down')),
  } satisfies Partial<CardProcessor> as unknown as CardProcessor;
  const { createIntent } = createPayments(
    database.db,
    processor,
    createLogger({ name: 'test', level: 'silent' }),
  );
  await expect(createIntent({ account: 8n, owner: 8n }, 500, 'first')).rejects.toThrow(
    ProcessorUnavailableError,
  );
  await expect(createIntent({ account: 8n, owner: 8n }, 500, 'second')).rejects.toThrow(
    ProcessorUnavailableError,
  );
  expect(customers).toBe(1);
});
