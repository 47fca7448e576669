/**
 * An account with objects of every kind, made and used by the SDK of a release: `node objects.ts make|check|check-updated STATE` in a folder
 * where it is installed. Prints a JSON line per check.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import * as sdk from '@latchkey/sdk';
import {
  type Address,
  createWalletClient,
  type Hex,
  http,
  parseAbi,
  publicActions,
  verifyMessage,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const { RELAYER: url = '', TRIGGERS = '', INDEXER = '', RPC = '', STRIPE = '', RECEIVER = '' } = process.env;
const [, , command, stateFile = ''] = process.argv;

const code = {
  sign: 'const main = ({ pkpId }) => Svc.Actions.signMessage({ pkpId, message: "kept" })',
  encrypt: 'const main = ({ pkpId }) => Svc.Actions.Encrypt({ pkpId, message: "kept" })',
  decrypt: 'const main = ({ pkpId, ciphertext }) => Svc.Actions.Decrypt({ pkpId, ciphertext })',
  readSecret: 'const main = async () => (await Svc.Actions.getSecret("TOKEN")).length',
  take: `const main = ({ pkpId }) =>
    Svc.Actions.takeAllowance({ pkpId, name: 'kept', amount: '6', limit: '10', windowSeconds: 86400 })`,
  ask: `async function main({ approver }) {
    const hash = ethers.utils.id('kept');
    const expires = Math.floor(Date.now() / 1000) + 3600;
    await Svc.Actions.requireApproval({ summary: 'Kept', hash, approvers: [approver], threshold: 1, expires });
    return 'approved';
  }`,
  echo: 'const main = ({ event }) => event ?? "slot"',
};

const walletOf = (key: Hex) =>
  createWalletClient({ account: privateKeyToAccount(key), transport: http(RPC), pollingInterval: 100 });
const chain = walletOf(generatePrivateKey()).extend(publicActions);
const fund = (address: Address) =>
  chain.request({ method: 'anvil_setBalance' as never, params: [address, '0x8ac7230489e80000'] as never });
const ownClient = (key: Hex) => sdk.createClient({ url, wallet: walletOf(key), indexerUrl: INDEXER });
type Client = Pick<sdk.ApiClient, 'createPaymentIntent' | 'getProcessorConfig' | 'confirmPayment'>;

async function pay(client: Client): Promise<void> {
  const { paymentIntentId, clientSecret } = await client.createPaymentIntent({ amountCents: 500 });
  const { publishableKey } = await client.getProcessorConfig();
  await fetch(`${STRIPE}/v1/payment_intents/${paymentIntentId}/confirm`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${publishableKey}` },
    body: new URLSearchParams({ client_secret: clientSecret, payment_method: 'pm_card_visa' }),
  });
  await client.confirmPayment({ paymentIntentId });
}

async function until<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> {
  for (const deadline = Date.now() + 90_000; Date.now() < deadline; await setTimeout(250)) {
    const found = await probe();
    if (found) return found;
  }
  throw new Error(`not within 90 s: ${what}`);
}

/** Makes the account and its contents. */
async function makeManaged() {
  const { apiKey: accountKey } = await sdk
    .createClient({ url })
    .newAccount({ name: 'Kept', description: '' });
  const api = sdk.createClient({ url, apiKey: accountKey });
  await pay(api);
  const { walletAddress: wallet, publicKey } = await api.createWallet({ name: 'Kept wallet' });
  assert(publicKey, 'the wallet has no public key');
  await fund(wallet);
  const cid = await api.getSvcActionIpfsId({ code: code.sign });
  await api.addAction({ cid, name: 'Sign', description: '' });
  await api.storeActionCode({ cid, code: code.sign });
  const group = { name: 'Kept group', description: '', pkpIds: [wallet], cids: [cid, 0n] };
  const { groupId } = await api.addGroup(group);
  const caps = { spendCapCents: 400, maxRunsPerMinute: 600 };
  const { usageKey } = await api.addUsageApiKey({ name: 'Kept key', executeInGroups: [groupId], ...caps });
  await api.setSecret({ name: 'TOKEN', value: 'kept', walletPublicKey: publicKey });
  const { id, secret } = await api.addWebhook({
    url: `http://127.0.0.1:${RECEIVER}/`,
    types: ['run.finished'],
  });
  return { accountKey, wallet, cid, usageKey, webhook: { id, secret } };
}

/** Makes records of runs, and triggers. */
async function makeRuns({ accountKey, wallet: pkpId, usageKey }: Awaited<ReturnType<typeof makeManaged>>) {
  const runner = sdk.createClient({ url, apiKey: usageKey });
  const run = (source: string, jsParams: object = {}) =>
    runner.runAction({ code: source, jsParams: { pkpId, ...jsParams } });
  const signed = await run(code.sign);
  const { response: ciphertext } = await run(code.encrypt);
  await run(code.take);
  const sent = await runner.sendTransaction({ pkpId, chainId: 31_337, to: pkpId, value: 1n });
  const approverKey = generatePrivateKey();
  const { approvalId } = await run(code.ask, { approver: privateKeyToAccount(approverKey).address });
  const { token } = await sdk.logInToTriggers({ url: TRIGGERS, accountKey });
  const triggers = sdk.createTriggersClient({ url: TRIGGERS, token });
  const trigger = { code: code.echo, usageKey };
  const hook = await triggers.createTrigger({ ...trigger, name: 'Kept hook', kind: 'webhook' });
  const config = { cron: '*/30 * * * * *', timezone: 'UTC' };
  const slots = await triggers.createTrigger({ ...trigger, name: 'Kept slots', kind: 'schedule', config });
  const { runId: hookRun } = await triggers.testTrigger({ triggerId: hook.id, input: { event: 'test' } });
  return {
    ...{ ciphertext, approverKey, approvalId, token, hookRun, hook: hook.id, slots: slots.id },
    ...{ signed: { runId: signed.runId, response: signed.response }, sent },
  };
}

async function makeOwn() {
  const ownKey = generatePrivateKey();
  await fund(privateKeyToAccount(ownKey).address);
  const own = ownClient(ownKey);
  await own.newAccount({ name: 'Kept of a wallet', description: '' });
  await pay(own);
  const { groupId } = await own.addGroup({ name: 'Kept group', description: '', cids: [0n] });
  const { usageKey } = await own.addUsageApiKey({ name: 'Kept key', executeInGroups: [groupId] });
  return { ownKey, ownUsageKey: usageKey };
}

async function make() {
  const managed = await makeManaged();
  const api = sdk.createClient({ url, apiKey: managed.accountKey });
  const [made, own] = [await makeRuns(managed), await makeOwn()];
  return { ...managed, ...made, ...own, copy: await api.exportAccount() };
}
type State = Awaited<ReturnType<typeof make>>;

/** Requests that the webhook of the account got, with the secret's signature. */
async function receive(secret: string) {
  const types: string[] = [];
  const server = createServer(async (request, response) => {
    const [body, { headers }] = [await text(request), request];
    const signer = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'));
    signer.update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
    if (headers['webhook-signature'] === `v1,${signer.digest('base64')}`) types.push(JSON.parse(body).type);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(Number(RECEIVER), '127.0.0.1', resolve));
  return { types, [Symbol.dispose]: () => void server.close() };
}

/** The packed SDK with the keys of the account. */
function open({ accountKey, usageKey, wallet, token }: State) {
  const api = sdk.createClient({ url, apiKey: accountKey });
  const runner = sdk.createClient({ url, apiKey: usageKey });
  const triggers = sdk.createTriggersClient({ url: TRIGGERS, token });
  return {
    ...{ api, runner, triggers },
    run: (source: string, jsParams: object = {}) =>
      runner.runAction({ code: source, jsParams: { pkpId: wallet, ...jsParams } }),
    lastRun: async (triggerId: string) => (await triggers.listTriggerRuns({ triggerId })).items[0],
  };
}
type Opened = ReturnType<typeof open>;

const checksOfAccount = ({ api, runner, run }: Opened, state: State) => {
  const { wallet, cid, signed } = state;
  return {
    async 'account, wallets, actions, groups and usage keys are the same'() {
      assert.deepEqual(sdk.diffExport(await api.exportAccount(), state.copy), []);
      const [key] = (await api.listApiKeys()).items;
      assert.deepEqual([key?.spendCapCents, key?.maxRunsPerMinute], [400, 600]);
    },
    async 'the payment is in the ledger'() {
      const { items } = await api.listLedger();
      assert(items.some(({ kind, amountMicros }) => kind === 'credit' && amountMicros === 5_000_000n));
      assert((await api.getBalance()).creditMicros > 0n);
    },
    async 'the same usage key signs with the same wallet'() {
      const { response } = await run(code.sign);
      assert.equal(response, signed.response);
      assert(await verifyMessage({ address: wallet, message: 'kept', signature: response as Hex }));
    },
    async 'the stored code runs by its CID'() {
      assert.equal((await api.getActionCode({ cid })).code, code.sign);
      assert.equal((await runner.runAction({ cid, jsParams: { pkpId: wallet } })).response, signed.response);
    },
    async 'the receipt of an earlier run verifies'() {
      const { receipt } = await api.getRun({ runId: signed.runId });
      const { contractAddress, chainId } = await api.getNodeChainConfig();
      const signer = await chain.readContract({
        address: contractAddress,
        abi: parseAbi(['function nodeConfigurationValue(string) view returns (string)']),
        functionName: 'nodeConfigurationValue',
        args: ['receipt-signer'],
      });
      const stated = { signer: signer as Address, chainId, contractAddress, cid, response: signed.response };
      assert(receipt && sdk.verifyReceipt({ receipt, ...stated }));
    },
  };
};

const checksOfRuns = ({ api, runner, run }: Opened, state: State) => {
  const { wallet, sent } = state;
  return {
    async 'an earlier ciphertext decrypts'() {
      assert.equal((await run(code.decrypt, { ciphertext: state.ciphertext })).response, 'kept');
    },
    async 'an action reads the secret'() {
      assert.equal((await run(code.readSecret)).response, 'kept'.length);
    },
    async 'the counter of a policy still counts'() {
      assert.equal((await run(code.take)).error?.name, 'AllowanceError');
    },
    async 'an earlier transaction is confirmed, and the next has the next nonce'() {
      const confirmed = async (id: string) => (await api.getTransaction({ id })).status === 'confirmed';
      await until('the first is confirmed', () => confirmed(sent.id));
      const next = await runner.sendTransaction({ pkpId: wallet, chainId: 31_337, to: wallet, value: 1n });
      assert(next.nonce > sent.nonce);
      await until('the next is confirmed', () => confirmed(next.id));
    },
    async 'a run that waits for an approval goes on'() {
      const { approvalId = '', approverKey } = state;
      const approval = await api.getApproval({ approvalId });
      assert.equal(approval.state, 'waiting');
      if (command !== 'check-updated') return;
      await api.approveRun({ approval, wallet: walletOf(approverKey) });
      assert.equal((await runner.continueRun({ approvalId })).response, 'approved');
    },
  };
};

const checksOfEvents = ({ api, run, triggers, lastRun }: Opened, state: State) => ({
  async 'webhooks arrive, signed by the same secret'() {
    using receiver = await receive(state.webhook.secret);
    await run(code.sign);
    await until('run.finished', async () => receiver.types.includes('run.finished'));
  },
  async 'a webhook runs its trigger, whose earlier run is kept'() {
    const body = randomText();
    const { webhookUrl = '' } = await triggers.getTrigger({ triggerId: state.hook });
    const headers = { 'Content-Type': 'application/json' };
    assert((await fetch(webhookUrl, { method: 'POST', headers, body: JSON.stringify(body) })).ok);
    const isBody = async () => (await lastRun(state.hook))?.response === body;
    await until('the run has ended', isBody);
    assert.equal((await triggers.getTriggerRun({ runId: state.hookRun })).status, 'success');
  },
  async 'the schedule goes on'() {
    const from = Date.now();
    await until('a slot has run', async () => {
      const last = await lastRun(state.slots);
      return last?.status === 'success' && last.createdAt.getTime() > from;
    });
  },
  async 'the account of a wallet writes and runs'() {
    const own = ownClient(state.ownKey);
    const name = randomText();
    await own.addGroup({ name, description: '' });
    const names = (await own.listGroups()).items.map((group) => group.name);
    assert.deepEqual([names[0], names.at(-1)], ['Kept group', name]);
    const ran = await own.runAction({ code: code.echo, usageKey: state.ownUsageKey });
    assert.equal(ran.response, 'slot');
  },
  async 'functions that read reply'() {
    const clients: [string, object][] = [...Object.entries(api), ...Object.entries(triggers)];
    for (const [name, read] of clients.filter(([name]) => /^(get|list|search|export)[A-Z]/.test(name)))
      await (read as unknown as (parameters: object) => Promise<unknown>)({}).catch((error: unknown) => {
        const { code: reason = '', status = 0 } = error as { code?: string; status?: number };
        const isBroken = status >= 500 || reason === 'network' || reason === 'invalid_reply';
        assert(!isBroken, `${name}: ${(error as Error).message}`);
      });
  },
});

function checksOf(state: State): [string, () => Promise<void>][] {
  const opened = open(state);
  return [checksOfAccount, checksOfRuns, checksOfEvents].flatMap((of) => Object.entries(of(opened, state)));
}

const randomText = (): string => crypto.randomUUID();

if (command === 'make') writeFileSync(stateFile, JSON.stringify(await make()));
else
  for (const [check, work] of checksOf(JSON.parse(readFileSync(stateFile, 'utf8')))) {
    const fault = await work().then(
      () => undefined,
      (error: unknown) => String((error as Error).message ?? error),
    );
    console.log(JSON.stringify({ check, fault }));
  }
process.exit();
