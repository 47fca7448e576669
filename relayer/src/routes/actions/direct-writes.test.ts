/** Runs whose permission ends by a write that another relayer or a wallet sent. */
import { text } from 'node:stream/consumers';
import { apiKeyHash, cidHash, walletIdentity } from '@latchkey/protocol';
import {
  addGroup,
  addUsageKey,
  cidOfCode,
  createWallet,
  expectWritten,
  hex,
  newAccount,
  newKeyText,
  payAndConfirm,
  post,
  stack,
} from '@latchkey/testing/stack';
import { accountOf, billingAuth, eoa } from '@latchkey/testing/wallet-proof';
import { createParser } from 'eventsource-parser';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

// A test starts its own relayer, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

/** Starts a run. Calls `onLog` once with its first output. Resolves to its result. */
async function run(
  { key, url = stack.url, ...body }: { key: string; url?: string; code: string; js_params?: object },
  onLog: () => Promise<unknown>,
): Promise<unknown> {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json', Accept: 'text/event-stream' };
  const reply = await fetch(`${url}/core/v1/svc_action`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect(reply.status, reply.ok ? '' : await text(reply.body as never)).toBe(200);
  let logged: Promise<unknown> | undefined;
  let result: unknown;
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === 'log') logged ??= onLog();
      if (event === 'result') result = JSON.parse(data).body;
    },
  });
  for await (const part of (reply.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()))
    parser.feed(part);
  expect(logged).toBeDefined();
  await logged;
  return result;
}

describe('a run of a ChainSecured account ends', () => {
  const code = `const main = () => {
    console.log('begun');
    return new Promise((done) => setTimeout(done, 60_000));
  }`;
  let write: ReturnType<typeof accountOf>;
  let identity: bigint;
  beforeAll(async () => {
    const admin = await eoa();
    write = accountOf(admin);
    identity = walletIdentity(admin.address);
    await write('newChainSecuredAccount', ['mine', '']);
    await write('addGroup', [identity, 'group', '', [cidHash(await cidOfCode(code))], []]);
    await payAndConfirm(await billingAuth(admin));
  });

  const setKey = (key: string, expiration: bigint, groups: bigint[]) =>
    write('setUsageApiKey', [
      ...([identity, apiKeyHash(key), expiration, 0n, 'key', ''] as const),
      ...([false, false, false, [], [], [], groups] as const),
    ]);

  test.each([
    ['removes its key', (key: string) => write('removeUsageApiKey', [identity, apiKeyHash(key)])],
    ['takes the group from its key', (key: string) => setKey(key, 0n, [])],
    ['sets a past expiration of its key', (key: string) => setKey(key, 1n, [1n])],
  ])('when the wallet itself %s', async (_what, change) => {
    const key = newKeyText();
    await setKey(key, 0n, [1n]);
    expect(await run({ key, code }, () => change(key))).toMatchObject({
      has_error: true,
      response: null,
      error: { name: 'PermissionError' },
    });
  });
});

test('the key nodes give a run no key after its usage key was removed, when its relayer does not know yet', async () => {
  const account = await newAccount();
  const pkpId = await createWallet(account.key);
  const group = await addGroup(account.key, { pkp_ids_permitted: [pkpId], cid_hashes_permitted: [hex(0n)] });
  const key = await addUsageKey(account.key, { execute_in_groups: [group] });
  // The relayer polls for logs only after the run.
  await using relayer = await ownRelayer({ POLLING_INTERVAL_MS: '60000' });
  await payAndConfirm({ 'X-Api-Key': account.key }, { url: relayer.url });
  const code = `async function main({ pkpId }) {
    const ofWallet = () => Svc.Actions.getPrivateKey({ pkpId });
    const ofAction = () => Svc.Actions.getActionPrivateKey();
    await ofWallet();
    await ofAction();
    console.log('released');
    const refused = async () => {
      // A run calls key functions at most a hundred times.
      for (let ms = 1_000; ; ms *= 2) {
        await new Promise((done) => setTimeout(done, ms));
        await ofWallet();
      }
    };
    const nameOf = (error) => error.name;
    return [await refused().catch(nameOf), await ofAction().catch(nameOf)];
  }`;
  const remove = async () =>
    expectWritten(await post('remove_usage_api_key', { usage_api_key: key }, account.key));
  expect(await run({ key, url: relayer.url, code, js_params: { pkpId } }, remove)).toMatchObject({
    has_error: false,
    response: ['WalletNotPermittedError', 'PermissionError'],
  });
});
