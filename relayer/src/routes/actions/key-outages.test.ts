/** Runs that get no key, by clocks and by nodes that do not answer: no refusal, and no charge. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSkewedRunner } from '@latchkey/testing/skewed-runner';
import {
  addGroup,
  addUsageKey,
  call,
  createWallet,
  expectError,
  hex,
  newAccount,
  payAndConfirm,
  stack,
} from '@latchkey/testing/stack';
import { expect, onTestFinished, test } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

const code = 'const main = async ({ pkpId }) => (await Svc.Actions.getPrivateKey({ pkpId })).length;';

/** Opens an account with a wallet and a usage key that may use it, and pays at this relayer. */
async function openAccount(url: string) {
  const account = await newAccount();
  const pkpId = await createWallet(account.key);
  const contents = { pkp_ids_permitted: [pkpId], cid_hashes_permitted: [hex(0n)] };
  const group = await addGroup(account.key, contents);
  const key = await addUsageKey(account.key, { execute_in_groups: [group] });
  await payAndConfirm({ 'X-Api-Key': account.key }, { url });
  const balance = async () => (await call('GET', 'billing/balance', { key: account.key }, url)).body;
  const headers = { 'Idempotency-Key': randomUUID() };
  const run = () => call('POST', 'svc_action', { key, headers, body: { code, js_params: { pkpId } } }, url);
  return { balance, run };
}

/** Expects that the run is 503 with this text within two seconds, can be repeated, and costs nothing. */
async function expectOutage({ balance, run }: Awaited<ReturnType<typeof openAccount>>, text: RegExp) {
  const before = await balance();
  const startedAt = performance.now();
  const reply = await run();
  const tookMs = performance.now() - startedAt;
  expectError(reply, 503, text);
  expect(reply.headers.get('retry-after')).toBe('1');
  expect(await balance()).toEqual(before);
  return tookMs;
}

test.each([15_000, -15_000])(
  'a run is 503 and free while the clock of the runner is %s ms ahead, and succeeds when it is repeated after that',
  async (aheadMs) => {
    await using skewed = await startSkewedRunner(aheadMs);
    await using relayer = await ownRelayer({ RUNNER_URLS: skewed.url });
    const account = await openAccount(relayer.url);
    await expectOutage(account, /^0 of 3 key nodes answer, 2 are needed$/);
    skewed.setRight();
    expect(await account.run()).toMatchObject({ status: 200, body: { has_error: false, response: 66 } });
  },
);

test('a run is 503 within two seconds, and free, while two nodes are silent or refuse connections', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  await once(silent, 'listening');
  const [first] = (stack.keyNodeSettings.KEY_NODES ?? '').split(',');
  const refusing = 'http://127.0.0.1:9';
  const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  await using relayer = await ownRelayer({ KEY_NODES: [first, refusing, silentUrl].join(',') });
  const account = await openAccount(relayer.url);
  for (let i = 0; i < 2; i++)
    expect(await expectOutage(account, /^1 of 3 key nodes answers, 2 are needed$/)).toBeLessThan(2_000);
});
