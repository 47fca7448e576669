import { expect, test } from 'vitest';
import { createIdentity } from './identity.ts';
import {
  cosign,
  createStatement,
  type KeyPurpose,
  type KeyRequest,
  keyRequest,
  LIFETIME_MS,
  MAX_SKEW_MS,
  signStatement,
  verifyRequest,
} from './request.ts';

const NOW = 1_800_000_000_000;
const runner = createIdentity('01'.repeat(32));
const relayer = createIdentity('02'.repeat(32));
const stranger = createIdentity('03'.repeat(32));
const group = 'ab'.repeat(32);
const recipient = 'cd'.repeat(32);
const purpose: KeyPurpose = {
  kind: 'wallet',
  usageKeyHash: '0x1f',
  cid: 'QmTestCid',
  wallet: `0x${'12'.repeat(20)}`,
  use: 'inside',
};
const known = { runners: [runner.publicKey], relayers: [relayer.publicKey], group, nowMs: NOW };

const request = (of: KeyPurpose = purpose): KeyRequest =>
  cosign(
    signStatement(createStatement({ group, purpose: of, withProof: true, recipient }, NOW), runner),
    7,
    relayer,
  );

test('accepts a request that a known runner and a known relayer have signed', () => {
  for (const of of [
    purpose,
    { kind: 'action', usageKeyHash: '0x1f', cid: 'QmTestCid' },
    { kind: 'action-public-key', usageKeyHash: '0x1f', cid: 'QmTestCid', publicKey: '02'.repeat(33) },
    { kind: 'mint-wallet', path: '0x1' },
    { kind: 'wallet-address', path: '0x1', address: '12'.repeat(20) },
    { kind: 'mint-usage-key', path: `0x${'f'.repeat(64)}` },
  ] as const) {
    const received = keyRequest.parse(JSON.parse(JSON.stringify(request(of))));
    expect(() => verifyRequest(received, known)).not.toThrow();
  }
});

test('gives every statement another id', () => {
  expect(request().statement.id).not.toBe(request().statement.id);
});

test('signs the same bytes whatever the order of the members', () => {
  const { statement, ...rest } = request();
  const reversed = Object.fromEntries(Object.entries(statement).reverse()) as typeof statement;
  expect(() => verifyRequest({ ...rest, statement: reversed }, known)).not.toThrow();
});

test.each<[string, (request: KeyRequest) => KeyRequest, string]>([
  [
    'purpose',
    (r) => ({ ...r, statement: { ...r.statement, purpose: { ...purpose, cid: 'QmEvil' } } }),
    'runner',
  ],
  ['recipient', (r) => ({ ...r, statement: { ...r.statement, recipient: 'ef'.repeat(32) } }), 'runner'],
  [
    'run',
    (r) => ({ ...r, statement: { ...r.statement, run: '0b6f1f1e-6d1c-4a55-9d29-1b0a3c1d2e3f' } }),
    'runner',
  ],
  ['id', (r) => ({ ...r, statement: { ...r.statement, id: 'ef'.repeat(16) } }), 'runner'],
  ['proof', (r) => ({ ...r, statement: { ...r.statement, withProof: false } }), 'runner'],
  ['block', (r) => ({ ...r, block: 6 }), 'relayer'],
])('refuses a request whose %s was changed', (_, change, signer) => {
  expect(() => verifyRequest(change(request()), known)).toThrow(
    `the signature of the ${signer} does not hold`,
  );
});

test('refuses runners, relayers and groups that it does not know', () => {
  expect(() => verifyRequest(request(), { ...known, runners: [stranger.publicKey] })).toThrow(
    'unknown runner',
  );
  expect(() => verifyRequest(request(), { ...known, relayers: [] })).toThrow('unknown relayer');
  expect(() => verifyRequest(request(), { ...known, group: 'ff'.repeat(32) })).toThrow(
    'the request is for another group of key nodes',
  );
});

test('refuses a relayer that signs for a runner', () => {
  const statement = createStatement({ group, purpose, withProof: true, recipient }, NOW);
  const forged = { ...signStatement(statement, relayer), runner: runner.publicKey };
  expect(() => verifyRequest(cosign(forged, 7, relayer), known)).toThrow(
    'the signature of the runner does not hold',
  );
});

test('refuses a request before and after its time', () => {
  const { expiresAt } = request().statement;
  expect(expiresAt).toBe(NOW + LIFETIME_MS);
  expect(() => verifyRequest(request(), { ...known, nowMs: expiresAt - 1 })).not.toThrow();
  expect(() => verifyRequest(request(), { ...known, nowMs: expiresAt })).toThrow(
    'the request has expired: compare the clocks',
  );
  expect(() => verifyRequest(request(), { ...known, nowMs: NOW - MAX_SKEW_MS })).not.toThrow();
  expect(() => verifyRequest(request(), { ...known, nowMs: NOW - MAX_SKEW_MS - 1 })).toThrow(
    'compare the clocks',
  );
});

test('has no encoding for values outside the schema', () => {
  for (const changed of [
    { kind: 'wallet', usageKeyHash: '0x01', cid: 'Qm', wallet: purpose.kind, use: 'inside' },
    { kind: 'mint-wallet', path: '0x00' },
    { kind: 'mint-wallet', path: `0x1${'0'.repeat(64)}` },
    { kind: 'mint-wallet', path: '0x1', extra: 1 },
    { kind: 'action', usageKeyHash: '0x1', cid: 'Qm/..' },
    // The key of another action than the one that runs.
    { kind: 'action', usageKeyHash: '0x1', cid: 'Qm', ofCid: 'QmOther' },
  ])
    expect(() =>
      createStatement({ group, purpose: changed as never, withProof: true, recipient }, NOW),
    ).toThrow();
});
