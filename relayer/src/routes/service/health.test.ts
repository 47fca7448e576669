import { stack } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

const parts = ['chain', 'chains', 'indexer', 'database', 'runtime', 'payers', 'keys'] as const;

test('returns 200 when every part is healthy', async () => {
  const response = await fetch(`${stack.url}/health`);
  expect(response.status).toBe(200);
  const works = Object.fromEntries(parts.map((part) => [part, { ok: true }]));
  expect(await response.json()).toEqual({ ok: true, ...works, key_approvals: [] });
});

test('a relayer without an indexer and with an unknown payer is ready, and names both', async () => {
  await using relayer = await ownRelayer({ INDEXER_URLS: 'http://127.0.0.1:9' });
  const response = await fetch(`${relayer.url}/ready`);
  expect([response.status, await response.json()]).toEqual([
    200,
    { ok: true, degraded: ['indexer', 'payers'] },
  ]);
});

test('a relayer that lost one of two runners is healthy, and names it', async () => {
  const RUNNER_URLS = `${stack.runnerUrl},ws://127.0.0.1:9`;
  await using relayer = await ownRelayer({ RUNNER_URLS });
  const { runtime } = (await (await fetch(`${relayer.url}/health`)).json()) as Record<string, unknown>;
  expect(runtime).toEqual({
    ok: true,
    degraded: true,
    detail: 'a runner is not connected',
    since: expect.any(String),
  });
});

describe('503', () => {
  test('too few key nodes answer', async () => {
    const keyNodes = { ...stack.keyNodeSettings, KEY_NODES: 'http://127.0.0.1:9,http://127.0.0.1:10' };
    await using relayer = await ownRelayer(keyNodes);
    const response = await fetch(`${relayer.url}/health`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      ok: false,
      keys: {
        ok: false,
        detail: '0 of 2 key nodes work, 2 are needed: node 1 does not answer, node 2 does not answer',
      },
    });
  });

  test('the indexer is down and the payer is not an api payer of the contract', async () => {
    await using relayer = await ownRelayer({ INDEXER_URLS: 'http://127.0.0.1:9' });
    const response = await fetch(`${relayer.url}/health`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      ok: false,
      chain: { ok: true },
      chains: { ok: true },
      database: { ok: true },
      runtime: { ok: true },
      indexer: { ok: false },
      payers: { ok: false, detail: expect.stringMatching(/^not an api payer of the contract: 0x/) },
    });
  });
});
