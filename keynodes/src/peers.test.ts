import { reportData } from '@latchkey/key-protocol';
import { expect, test } from 'vitest';
import { createPeers } from './peers.ts';
import { QuoteError } from './quotes.ts';

const evidence = { quote: '04', event_log: '[]', vm_config: '{}' };
const identity = 'ab'.repeat(32);
const [earlier, now] = ['01'.repeat(32), '02'.repeat(32)];

test('counts a quote for its own dealing only: an operator cannot replay the quote of an earlier dealing', async () => {
  const peers = createPeers(async () => {}, []);
  await peers.attest(identity, earlier, evidence);
  peers.requireAttested(identity, earlier);
  expect(() => peers.requireAttested(identity, now)).toThrow('no quote for this dealing');
  expect(() => peers.requireAttested('cd'.repeat(32), earlier)).toThrow('no quote for this dealing');
  await peers.attest(identity, now, evidence);
  peers.requireAttested(identity, now);
});

test('verifies a quote of a node for the session, and names the node in a refusal', async () => {
  const asked: unknown[] = [];
  const verifyQuote = async (...of: unknown[]) => {
    asked.push(of);
    throw new QuoteError('is of another code');
  };
  const peers = createPeers(verifyQuote, ['c0']);
  await expect(peers.attest(identity, now, evidence)).rejects.toMatchObject({
    name: 'DealingError',
    message: `the quote of node ${identity} is of another code`,
  });
  const expected = reportData({ purpose: 'key-node', identity, nonce: now });
  expect(asked).toEqual([[evidence, expected, ['c0']]]);
  expect(() => peers.requireAttested(identity, now)).toThrow('no quote for this dealing');
});
