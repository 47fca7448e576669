/** Who gets the events of an account, by the states of the key or wallet that set the webhook last. */
import { walletIdentity } from '@latchkey/protocol';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { createSender } from '@latchkey/webhooks/sender';
import { eq } from 'drizzle-orm';
import { type Address, zeroAddress } from 'viem';
import { beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { addDelivery, addTestEndpoint, sending } from '../../test/webhooks.ts';
import { webhookDeliveries, webhookEndpoints } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { webhookTables } from './endpoints.ts';
import { mayReceive } from './owner.ts';

const OWN: Address = '0x1111111111111111111111111111111111111111';
const OTHER: Address = '0x2222222222222222222222222222222222222222';
const ACCOUNT = 5n;
const [account, ownerHash] = [hashText(ACCOUNT), hashText(walletIdentity(OWN))];
/** Of an accepted ChainSecured account of the wallet. */
const owned = {
  state: 1,
  masterApiKeyHash: ACCOUNT,
  adminWalletAddress: OWN,
  managed: false,
  accepted: true,
  giver: zeroAddress as Address,
};

const database = disposeAfterAll(await openTestDatabase());
beforeEach(() => database.db.delete(webhookEndpoints));

type Asked = { answer?: Partial<typeof owned>; asked?: bigint[]; read?: () => Promise<never> };
const optionsOf = ({ answer = {}, asked = [], read }: Asked) => ({
  db: database.db,
  accountHeads: { get: async () => 0n },
  accountConfig: {
    read:
      read ??
      (async (_name: string, args: unknown) => {
        asked.push((args as [bigint])[0]);
        return { ...owned, ...answer } as never;
      }),
  },
});
const readEndpoint = async (id: string) =>
  (await database.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id)))[0];

test.each<[string, Partial<typeof owned>, boolean]>([
  ['its admin wallet', {}, true],
  ['the account key of a managed account', { managed: true, adminWalletAddress: OTHER }, true],
  ['the giver of a transfer that waits', { accepted: false, adminWalletAddress: OTHER, giver: OWN }, true],
  ['the owner of an account that was retired', { state: 6, masterApiKeyHash: 0n }, true],
  ['a former admin wallet', { adminWalletAddress: OTHER }, false],
  ['a former one while a later transfer waits', { accepted: false, giver: OTHER }, false],
  ['an account key that was replaced', { state: 4, managed: true }, false],
  ['a wallet that has another account', { masterApiKeyHash: 7n }, false],
])('%s', async (_who, answer, isOwner) => {
  const { id } = await addTestEndpoint(database.db, account, { ownerHash });
  expect(await mayReceive(optionsOf({ answer }), id)).toBe(isOwner);
  expect(await readEndpoint(id)).toMatchObject({
    isEnabled: isOwner,
    disabledReason: isOwner ? null : expect.stringContaining('another key or admin wallet'),
  });
});

test('a webhook of an earlier version is of the key or wallet that opened the account', async () => {
  const { id } = await addTestEndpoint(database.db, account);
  const asked: bigint[] = [];
  await mayReceive(optionsOf({ asked }), id);
  expect(asked).toEqual([ACCOUNT]);
});

test('a webhook that its new owner sets in that moment stays enabled', async () => {
  const { id } = await addTestEndpoint(database.db, account, { ownerHash });
  const read = async () => {
    await database.db.update(webhookEndpoints).set({ ownerHash: hashText(9n) });
    return { ...owned, adminWalletAddress: OTHER } as never;
  };
  expect(await mayReceive(optionsOf({ read }), id)).toBe(false);
  expect(await readEndpoint(id)).toMatchObject({ isEnabled: true });
});

test('deliveries wait while the chain cannot be asked', async () => {
  const { id } = await addTestEndpoint(database.db, account, { ownerHash });
  await addDelivery(database.db, id);
  const options = optionsOf({ read: () => Promise.reject(new Error('no node answers')) });
  let posted = 0;
  const post = async () => ++posted;
  const sender = createSender(
    {
      db: database.db,
      tables: webhookTables,
      ...sending,
      post,
      mayReceive: (endpointId) => mayReceive(options, endpointId),
    },
    new AbortController().signal,
  );
  await sender.poll();
  await sender.idle();
  expect(posted).toBe(0);
  expect(await readEndpoint(id)).toMatchObject({ isEnabled: true });
  const [delivery] = await database.db
    .select({ deliveredAt: webhookDeliveries.deliveredAt })
    .from(webhookDeliveries);
  expect(delivery).toEqual({ deliveredAt: null });
});
