import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectError, newAccount, newKeyText, stack } from '@latchkey/testing/stack';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';
import { secretVariables } from '../../config.ts';
import type { OperatorStatus } from '../../operator/status.ts';

// Some tests start a relayer, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const newToken = () => randomBytes(32).toString('base64');
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

async function ask(token: string | undefined, url = stack.url) {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/operator/v1/status`, { headers });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

describe('200', () => {
  test('has parts, payers, chains, queues, runners and key nodes', async () => {
    const { status, body } = await ask(stack.operatorToken);
    expect(status).toBe(200);
    const found = body as OperatorStatus;
    expect(found.parts).toEqual(
      ['keys', 'chain', 'chains', 'indexer', 'database', 'runtime', 'payers'].map((name) => ({
        name,
        ok: true,
      })),
    );
    expect(found).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      relayers: 1,
      contract: { address: stack.contractAddress, chain_id: stack.chainId },
      chains: [{ chain_id: stack.chainId, nodes: [{ node: 1, is_used: true, works: true }] }],
      queues: {
        max_runs: 160,
        webhook_deliveries: { waiting: expect.any(Number) },
        indexer: { lag_blocks: expect.any(Number) },
      },
      runners: [{ name: stack.runnerUrl, is_connected: true, version: found.version, fault: null }],
      key_group: { epoch: 1, threshold: 2, nodes: 3, approved: { threshold: 2 } },
    });
    expect(found.payers.map(({ address }) => address).sort()).toEqual(
      stack.payerKeys.map((key) => privateKeyToAddress(key)).sort(),
    );
    for (const payer of found.payers) {
      expect(payer).toMatchObject({ is_configured: true, is_api_payer: true, max_pending: 32 });
      expect(BigInt(payer.balance_wei ?? 0)).toBeGreaterThan(0n);
      expect(payer.next_nonce ?? 0).toBeGreaterThanOrEqual(payer.chain_nonce ?? 0);
    }
    expect(found.key_nodes).toHaveLength(3);
    for (const node of found.key_nodes)
      expect(node).toMatchObject({ version: found.version, epoch: 1, fault: null, waits_until: null });
    expect(found.key_group?.approved?.identities).toEqual(
      found.key_nodes.map(({ public_key }) => public_key).sort(),
    );
  });

  test('names what is down, and tells what is not', async () => {
    const token = newToken();
    await using relayer = await ownRelayer({
      OPERATOR_TOKEN_HASH: hashOf(token),
      INDEXER_URLS: 'http://127.0.0.1:9',
      RUNNER_URLS: `${stack.runnerUrl},ws://127.0.0.1:9`,
      KEY_NODES: `${stack.keyNodeSettings.KEY_NODES},http://127.0.0.1:9`,
    });
    const { body } = await ask(token, relayer.url);
    const found = body as OperatorStatus;
    expect(found.parts).toContainEqual({
      name: 'indexer',
      ok: false,
      detail: expect.any(String),
      since: expect.any(String),
    });
    expect(found.queues.indexer).toBeNull();
    expect(found.runners[1]).toMatchObject({ name: '127.0.0.1:9', is_connected: false, version: null });
    expect(found.key_nodes[3]).toMatchObject({ host: '127.0.0.1:9', fault: 'does not answer', epoch: null });
    // The relayer has the key of a payer that is not the contract's, and no key of the contract's payers.
    expect(found.payers.map(({ is_configured, is_api_payer }) => [is_configured, is_api_payer])).toEqual([
      [true, false],
      [false, true],
      [false, true],
    ]);
  });

  test('has none of the secrets of the settings, also when a node tells them', async () => {
    const node = createServer((_request, response) => {
      response.end(
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the key canary-rpc is blocked"}}',
      );
    }).listen(0, '127.0.0.1');
    await once(node, 'listening');
    onTestFinished(() => void node.close());
    const token = newToken();
    const settings = {
      OPERATOR_TOKEN_HASH: hashOf(token),
      RPC_URL: `${stack.rpcUrl}/?key=canary-rpc,http://127.0.0.1:${(node.address() as AddressInfo).port}/canary-rpc`,
      PRIVATE_RPC_URL: 'http://127.0.0.1:9/canary-private',
      WS_RPC_URL: `${stack.wsUrl}/?key=canary-ws`,
      CHAINS: '[{"id":10,"name":"Ten","rpc_urls":["http://user:canary-chain@127.0.0.1:9/canary-chain"]}]',
      PAYER_PRIVATE_KEYS: generatePrivateKey(),
      PAYER_KEYSTORE_PASSPHRASE: 'canary-keystore',
      ROOT_SECRET: '3c'.repeat(32),
      ROOT_SECRET_PASSPHRASE: '',
      RUNNER_TOKEN: 'canary-token',
      RUNNER_URLS: `${stack.runnerUrl},wss://user:canary-runner@127.0.0.1:9`,
      KEY_NODES: `${stack.keyNodeSettings.KEY_NODES},http://user:canary-node@127.0.0.1:9/canary-node`,
      RELAYER_IDENTITY: stack.keyNodeSettings.RELAYER_IDENTITY ?? '',
      IPFS_GATEWAY_URL: 'http://127.0.0.1:9/canary-gateway',
      STRIPE_SECRET_KEY: 'sk_test_canary',
      STRIPE_WEBHOOK_SECRETS: 'whsec_canary',
    };
    // The relayer has its own database, and no second payer.
    const others = ['DATABASE_URL', 'PAYERS'];
    expect([...Object.keys(settings), ...others]).toEqual(expect.arrayContaining([...secretVariables]));
    await using relayer = await ownRelayer(settings);
    for (let asked = 0; asked < 2; asked++) {
      const { status, body } = await ask(token, relayer.url);
      expect(status).toBe(200);
      const text = JSON.stringify(body);
      const { PAYER_PRIVATE_KEYS, ROOT_SECRET, RELAYER_IDENTITY } = settings;
      const { password } = new URL(relayer.databaseUrl);
      const secrets = ['canary', token, hashOf(token), PAYER_PRIVATE_KEYS, ROOT_SECRET, RELAYER_IDENTITY];
      for (const secret of [...secrets, password, relayer.databaseUrl])
        if (secret !== '') expect(text).not.toContain(secret);
    }
  });
});

describe('401', () => {
  test('without a token, and with a wrong one', async () => {
    const { key } = await newAccount();
    for (const token of [undefined, newToken(), newKeyText(), key, hashOf(stack.operatorToken), 'ä'])
      expectError(await ask(token && encodeURI(token)), 401);
  });
});

describe('429', () => {
  test('after too many wrong tokens of an address, which count as unknown keys; the right one still opens', async () => {
    const token = newToken();
    await using relayer = await ownRelayer({
      OPERATOR_TOKEN_HASH: hashOf(token),
      UNKNOWN_KEYS_PER_MINUTE: '3',
    });
    for (let tries = 0; tries < 3; tries++) {
      expect((await ask(token, relayer.url)).status).toBe(200);
      expectError(await ask(newToken(), relayer.url), 401);
    }
    expectError(await ask(newToken(), relayer.url), 429, /unknown keys/);
    expect((await ask(token, relayer.url)).status).toBe(200);
  });
});

describe('404', () => {
  test('for any token unless OPERATOR_TOKEN_HASH is set', async () => {
    await using relayer = await ownRelayer();
    for (const token of [undefined, newToken(), stack.operatorToken])
      expectError(await ask(token, relayer.url), 404);
  });
});
