import { expect, test } from 'vitest';
import type { OperatorStatus } from '../src/pages/operator/status.ts';
import { troublesOf } from '../src/pages/operator/troubles.ts';

const payer = {
  address: '0x01',
  is_configured: true,
  is_api_payer: true,
  signer_fails: false,
  balance_wei: '1',
  chain_nonce: 1,
  next_nonce: 1,
  pending: 0,
  max_pending: 32,
  oldest_pending_sec: null,
};
const keyNode = {
  node: 1,
  host: 'a',
  version: '1.0.0',
  public_key: null,
  identifier: 1,
  epoch: 1,
  fault: null,
  waits_until: null,
  dealing: null,
};
const well: OperatorStatus = {
  at: '',
  version: '1.0.0',
  commit: '',
  relayers: 1,
  parts: [{ name: 'chain', ok: true }],
  contract: { address: '0x', chain_id: 1, configuration: [] },
  payers: [payer],
  chains: [
    {
      chain_id: 1,
      name: 'One',
      head: 7,
      nodes: [{ node: 1, host: 'a', is_used: true, works: true }],
      pending: 0,
      oldest_pending_sec: null,
    },
  ],
  queues: {
    writes_waiting: 0,
    runs: 0,
    max_runs: 160,
    webhook_deliveries: { waiting: 3, overdue_sec: 2 },
    indexer: { version: '1.0.0', block: 7, lag_blocks: 0 },
  },
  runners: [
    {
      name: 'r',
      is_connected: true,
      version: '1.0.0',
      fault: null,
      idle: 1,
      starting: 0,
      running: 0,
      queued: 0,
    },
  ],
  key_group: null,
  key_nodes: [keyNode],
};
const triggers = { version: '1.0.0', parts: [{ name: 'triggers.database', ok: true }] };
const textsOf = (changes: Partial<OperatorStatus>) =>
  troublesOf({ ...well, ...changes }, triggers).map(({ what, text }) => `${what}: ${text}`);

test('a deployment that works has none', () => {
  expect(troublesOf(well, triggers)).toEqual([]);
  expect(troublesOf(well, undefined)).toEqual([]);
});

test('parts that are down come before those that are degraded', () => {
  const parts = [
    { name: 'runtime', ok: true, degraded: true as const, detail: 'a runner is not connected' },
    { name: 'database', ok: false },
  ];
  expect(textsOf({ parts })).toEqual(['Database: does not work.', 'Runners: a runner is not connected.']);
});

test.each([
  [{ payers: [{ ...payer, pending: 32 }] }, 'Payer 0x01: all 32 places are in use, and further writes wait.'],
  [
    { payers: [{ ...payer, pending: 1, oldest_pending_sec: 200.4 }] },
    'Payer 0x01: its oldest transaction is pending for 200 seconds.',
  ],
  [
    { queues: { ...well.queues, webhook_deliveries: { waiting: 1, overdue_sec: 400 } } },
    'Webhooks: The oldest delivery is overdue for 400 seconds.',
  ],
  [
    { queues: { ...well.queues, indexer: { version: '1.0.0', block: 1, lag_blocks: 11 } } },
    'Indexer: It is 11 blocks behind.',
  ],
  [
    { key_nodes: [{ ...keyNode, dealing: { round: 'answers', missing: [], faults: 2 } }] },
    'Key node 1: a saw 2 faults in a dealing.',
  ],
  [
    { key_nodes: [{ ...keyNode, waits_until: 0 }] },
    'Key node 1: a deals in a newly approved group at 1970-01-01T00:00:00.000Z unless its operator refuses.',
  ],
  [
    { key_nodes: [{ ...keyNode, version: '0.9.0' }] },
    'Versions: The relayer has 1.0.0, other parts have 0.9.0.',
  ],
] satisfies [Partial<OperatorStatus>, string][])('%#: %s', (changes, text) => {
  expect(textsOf(changes)).toEqual([text]);
});
