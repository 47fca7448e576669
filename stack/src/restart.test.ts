import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeOpen, openToOthers } from '@latchkey/testing/file-modes';
import { verifyMessage } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutputLine } from './output.ts';
import { type Stack, startStack } from './stack.ts';
import { temporaryDataDir } from './temporary-data-dir.ts';
import { testEnvironment } from './test-setup.ts';

const START_TIMEOUT_MS = 120_000;
const WRITERS = 4;
const WRITES_EACH = 15;
const ACKNOWLEDGED_BEFORE_KILL = 12;

const sign = `async function main({ pkpId }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage('same');
}`;

let dataDir: string;
let stack: Stack;
const start = (onOutput?: (line: OutputLine) => void) =>
  startStack({ dataDir, env: { ...testEnvironment, RUNTIME_POOL_SIZE: '1' }, ...(onOutput && { onOutput }) });

beforeAll(async () => {
  dataDir = await temporaryDataDir();
  stack = await start();
}, START_TIMEOUT_MS);

afterAll(async () => {
  await stack?.close();
  await rm(dataDir, { recursive: true, force: true });
});

type Call = { key?: string; body?: unknown; idempotencyKey?: string };

// biome-ignore lint/suspicious/noExplicitAny: the tests check the fields that they use
async function call(path: string, { key, body, idempotencyKey }: Call = {}): Promise<any> {
  const response = await fetch(`${stack.baseUrl}/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(key && { 'X-Api-Key': key }),
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

async function openAccount() {
  const { api_key: key } = await call('new_account', {
    body: { account_name: 'a', account_description: '' },
  });
  const { wallet_address: wallet } = await call('create_wallet', { key, body: {} });
  const { group_id: group } = await call('add_group', {
    key,
    body: { group_name: 'g', group_description: 'd', pkp_ids_permitted: [wallet], cid_hashes_permitted: [] },
  });
  const cid = await call('get_svc_action_ipfs_id', { body: sign });
  await call('add_action_to_group', { key, body: { group_id: group, action_ipfs_cid: cid } });
  const { usage_api_key: usageKey } = await call('add_usage_api_key', {
    key,
    body: { execute_in_groups: [group] },
  });
  return { key, usageKey, wallet };
}

const lists = (key: string) =>
  Promise.all(
    ['list_api_keys', 'list_groups', 'list_wallets', 'list_actions'].map((path) => call(path, { key })),
  );

test(
  'the second start has the same contract, accounts, wallets and lists, and makes data private that every user could read',
  async () => {
    const { key, usageKey, wallet } = await openAccount();
    const run = { key: usageKey, body: { code: sign, js_params: { pkpId: wallet } } };
    const signed = await call('svc_action', run);
    expect(await verifyMessage({ address: wallet, message: 'same', signature: signed.response })).toBe(true);
    const listed = await lists(key);
    const { contractAddress } = stack;
    await stack.close();

    await makeOpen(dataDir);
    await makeOpen(join(dataDir, 'chain'));
    const output: OutputLine[] = [];
    const umask = process.umask(0o022);
    try {
      stack = await start((line) => output.push(line));
    } finally {
      process.umask(umask);
    }
    expect(await openToOthers(dataDir)).toEqual([]);
    expect(output).toContainEqual({
      part: 'stack',
      line: expect.stringMatching(/^removed the rights of other users on data: \d+, /),
    });
    expect(stack.contractAddress).toBe(contractAddress);
    // Before any write, so that only kept data can answer.
    expect(await lists(key)).toEqual(listed);
    expect(await call('svc_action', run)).toEqual(signed);
    await call('add_group', { key, body: { group_name: 'after', group_description: '' } });
    expect((await lists(key))[1]).toHaveLength(2);
  },
  START_TIMEOUT_MS,
);

test.each(['relayer', 'indexer'] as const)(
  'a killed %s loses nothing acknowledged, and a retry takes effect once',
  async (part) => {
    const { key } = await openAccount();
    const writes = Array.from({ length: WRITERS * WRITES_EACH }, () => randomUUID());
    const write = (name: string) =>
      call('add_group', { key, body: { group_name: name, group_description: '' }, idempotencyKey: name });
    const acknowledged = new Set<string>();
    const writer = async (names: string[]) => {
      for (const name of names) {
        await write(name);
        acknowledged.add(name);
      }
    };
    const underWay = Promise.allSettled(
      Array.from({ length: WRITERS }, (_, index) =>
        writer(writes.slice(index * WRITES_EACH, (index + 1) * WRITES_EACH)),
      ),
    );
    const deadline = Date.now() + 30_000;
    while (acknowledged.size < ACKNOWLEDGED_BEFORE_KILL && Date.now() < deadline) await delay(5);
    process.kill(-stack.pids[part], 'SIGKILL');
    expect((await stack.failed).message).toContain(`The ${part} ended with signal SIGKILL`);
    await underWay;
    expect(acknowledged.size).toBeGreaterThanOrEqual(ACKNOWLEDGED_BEFORE_KILL);
    expect(acknowledged.size).toBeLessThan(writes.length);

    stack = await start();
    const namesNow = async () =>
      (await call('list_groups', { key }))
        .map(({ name }: { name: string }) => name)
        .filter((name: string) => name !== 'g');
    expect(await namesNow()).toEqual(expect.arrayContaining([...acknowledged]));
    for (const name of writes) await write(name);
    expect((await namesNow()).sort()).toEqual([...writes].sort());
  },
  START_TIMEOUT_MS,
);

test(
  'starts and serves keys while one key node cannot start, and names the reasons when two cannot',
  async () => {
    const { usageKey, wallet } = await openAccount();
    const run = { key: usageKey, body: { code: sign, js_params: { pkpId: wallet } } };
    const signed = await call('svc_action', run);
    await stack.close();
    const damage = (node: string) => writeFile(join(dataDir, 'keynodes', node, 'node.json'), '{}');

    await damage('keynode2');
    const output: OutputLine[] = [];
    stack = await start((line) => output.push(line));
    const line = expect.stringMatching(
      /keynode2 is not needed while 2 other key nodes work.*start with --fresh/,
    );
    expect(output).toContainEqual({ part: 'stack', line });
    expect(output.map((said) => said.line).join('\n')).toContain('node.json is damaged');
    expect(await call('svc_action', run)).toEqual(signed);
    await stack.close();

    await damage('keynode3');
    await expect(start()).rejects.toThrow(
      /2 of 3 key nodes do not start, 2 must work\.\n(?=[\s\S]*The keynode2 ended with exit code 1)(?=[\s\S]*The keynode3 ended with exit code 1)/,
    );
  },
  START_TIMEOUT_MS,
);
