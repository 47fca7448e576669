/** Former owners of an account, who chose the URLs of its webhooks, while its runs go on. */
import { accountWalletAddress } from '@latchkey/protocol';
import {
  addUsageKey,
  call,
  expectWritten,
  newAccount,
  newKeyText,
  payAndConfirm,
  post,
} from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { type AdminWallet, accountOf, billingAuth, eoa, proofOf } from '@latchkey/testing/wallet-proof';
import { startWebhookReceiver } from '@latchkey/testing/webhook-receiver';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const resources = new AsyncDisposableStack();
let key: string;
let hash: bigint;
let usageKey: string;
const receiver = resources.use(await startWebhookReceiver());
const { url } = resources.use(await ownRelayer({ WEBHOOK_ALLOWED_ADDRESSES: receiver.address }));
afterAll(() => resources.disposeAsync());
beforeEach(async () => {
  ({ key, hash } = await newAccount());
  await payAndConfirm({ 'X-Api-Key': key }, { url });
  usageKey = await addUsageKey(key, { execute_in_groups: [0] });
});

type Headers = Record<string, string>;
const ask = async (path: string, headers: Headers, body?: object) => {
  const reply = await call(body ? 'POST' : 'GET', path, { headers, ...(body && { body }) }, url);
  expect([path, reply.status, reply.body]).toEqual([path, 200, expect.anything()]);
  return reply.body;
};
type Webhook = { id: string; path: string };
/** Adds a webhook with a path of its own. */
const add = async (headers: Headers): Promise<Webhook> => {
  const webhook = { url: `${receiver.url}/${crypto.randomUUID()}`, types: ['run.finished'] };
  const { id } = (await ask('add_webhook', headers, webhook)) as { id: string };
  return { id, path: new URL(webhook.url).pathname };
};
const isEnabled = async (id: string, headers: Headers) => {
  const listed = (await ask('list_webhooks', headers)) as { id: string; enabled: boolean }[];
  return listed.find((webhook) => webhook.id === id)?.enabled;
};
const run = () => ask('svc_action', { 'X-Api-Key': usageKey }, { code: 'const main = () => 1' });
const count = (webhook: Webhook) => receiver.received.filter(({ path }) => path === webhook.path).length;
const hears = (webhook: Webhook, events: number) =>
  until('the event arrives', async () => count(webhook) === events);
const convertTo = async ({ address, signDigest }: AdminWallet) => {
  const proof = await proofOf({ primaryType: 'ConvertAccount', address }, signDigest);
  const body = { new_admin_wallet_address: address, ...proof };
  expectWritten(await post('convert_to_chain_secured_account', body, key), expect.anything());
};

test('after a rotation of a leaked account key, the webhook of its thief gets nothing, until the owner enables it', async () => {
  const stolen = await add({ 'X-Api-Key': key });
  await run();
  await hears(stolen, 1);
  const next = newKeyText();
  const rotation = { new_api_key: next, new_wallet_address: accountWalletAddress(next) };
  expectWritten(await post('rotate_account_key', rotation, key));
  const own = await add({ 'X-Api-Key': next });
  await run();
  await hears(own, 1);
  await until('it is disabled', async () => (await isEnabled(stolen.id, { 'X-Api-Key': next })) === false);
  expect(count(stolen)).toBe(1);
  await ask('update_webhook', { 'X-Api-Key': next }, { webhook_id: stolen.id, enabled: true });
  await run();
  await until('events arrive', async () => count(stolen) >= 2);
});

test('after a conversion, the webhook of the account key gets nothing', async () => {
  const former = await add({ 'X-Api-Key': key });
  const admin = await eoa();
  await convertTo(admin);
  const own = await add(await billingAuth(admin));
  await run();
  await hears(own, 1);
  await until('it is disabled', async () => !(await isEnabled(former.id, await billingAuth(admin))));
  expect(count(former)).toBe(0);
});

test('a transfer ends the webhook of the giver when it is accepted, and keeps what the new wallet adds immediately', async () => {
  const [giver, taker] = [await eoa(), await eoa()];
  await convertTo(giver);
  const given = await add(await billingAuth(giver));
  await accountOf(giver)('transferChainSecuredAccountOwnership', [hash, taker.address]);
  // The giver can take the account back.
  await run();
  await hears(given, 1);
  const accepted = await accountOf(taker)('acceptAccount', [hash]);
  const auth = async () => ({ ...(await billingAuth(taker)), 'X-Min-Block': String(accepted) });
  const own = await add(await auth());
  await run();
  await hears(own, 1);
  await until('it is disabled', async () => !(await isEnabled(given.id, await auth())));
  await run();
  await hears(own, 2);
  expect(count(given)).toBe(1);
});
