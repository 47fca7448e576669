import { type QuoteSubject, reportData } from '@latchkey/key-protocol';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import {
  type AgentOptions,
  COMPOSE_HASH,
  KEY_PROVIDER,
  OS_IMAGE_HASH,
  startAgent,
  startVerifier,
} from '@latchkey/testing/tee-stand-ins';
import { expect, test } from 'vitest';
import { createQuoteVerifier } from './quotes.ts';
import { connectTee } from './tee.ts';

const subject: QuoteSubject = { purpose: 'key-node', identity: 'ab'.repeat(32), nonce: '01'.repeat(32) };
const lists = { osImageHashes: [OS_IMAGE_HASH], keyProviders: [KEY_PROVIDER] };
const verifier = disposeAfterAll(await startVerifier());

type Change = { quote?: (quote: string) => string; subject?: Partial<QuoteSubject> };

/** Verifies a quote that an enclave with these measurements gave for the subject of this test. */
async function verify(options: AgentOptions = {}, change: Change = {}): Promise<void> {
  await using agent = await startAgent(options);
  const evidence = await connectTee(agent.socket).quote(subject.identity, subject.nonce);
  const quote = change.quote?.(evidence.quote) ?? evidence.quote;
  const verifyQuote = createQuoteVerifier({ verifierUrl: verifier.url, ...lists });
  await verifyQuote({ ...evidence, quote }, reportData({ ...subject, ...change.subject }), [COMPOSE_HASH]);
}

test('accepts the quote of permitted code on a permitted image with a permitted key provider', () =>
  verify());

const withByte = (at: number, byte: string) => (quote: string) =>
  `${quote.slice(0, 2 * at)}${byte}${quote.slice(2 * at + 2)}`;

test.each<[string, AgentOptions, Change?]>([
  ['is of another code', { composeHash: 'ee'.repeat(32) }],
  ['is of another OS image', { osImageHash: 'ee'.repeat(32) }],
  ['is of a development image', { isDevelopmentImage: true }],
  ['is of another key provider', { keyProvider: 'kms:305a' }],
  ['is of another key provider', { keyProvider: 'local-sgx:3059' }],
  ['is of a processor with the TCB status OutOfDate', { tcbStatus: 'OutOfDate' }],
  ['is of an enclave that can be debugged', { isDebug: true }],
  ['is not valid', { isDebug: true }, { quote: withByte(168, '00') }],
  ['is not valid', {}, { quote: withByte(200, 'ff') }],
  ['is not a TDX quote of version 4 or 5', {}, { quote: withByte(0, '06') }],
  ['is not a TDX quote of version 4 or 5', {}, { quote: withByte(4, '00') }],
  ['is not a TDX quote of version 4 or 5', {}, { quote: (quote) => quote.slice(0, 2 * 631) }],
])('refuses a quote that %s', async (reason, options, change) => {
  await expect(verify(options, change)).rejects.toThrow(reason);
});

test.each<[string, Partial<QuoteSubject>]>([
  ['an old nonce', { nonce: '02'.repeat(32) }],
  ['another identity', { identity: 'cd'.repeat(32) }],
  ['another purpose', { purpose: 'runner' }],
])('refuses a quote for %s without asking the verifier', async (_, other) => {
  const asked = verifier.asked.length;
  await expect(verify({}, { subject: other })).rejects.toThrow('is for another identity, purpose or nonce');
  expect(verifier.asked).toHaveLength(asked);
});

test('is unavailable when the verifier does not answer', async () => {
  await using agent = await startAgent();
  const evidence = await connectTee(agent.socket).quote(subject.identity, subject.nonce);
  const verifyQuote = createQuoteVerifier({ verifierUrl: 'http://127.0.0.1:9', ...lists });
  await expect(verifyQuote(evidence, reportData(subject), [COMPOSE_HASH])).rejects.toMatchObject({
    status: 503,
  });
});
