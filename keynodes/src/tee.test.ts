import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAddressLimit } from '@latchkey/http';
import { type QuoteSubject, reportData } from '@latchkey/key-protocol';
import { type DeriveKey, passphraseKey } from '@latchkey/service/passphrase-key';
import { type AgentOptions, startAgent } from '@latchkey/testing/tee-stand-ins';
import { expect, onTestFinished, test } from 'vitest';
import { openNodeStore } from './node-store.ts';
import { getAttestation } from './routes/get_attestation.ts';
import { connectTee } from './tee.ts';

const inEnclave = { isEnclave: true };

/** Starts a guest agent that ends with the test. */
async function startAgentOfTest(options?: AgentOptions) {
  const agent = await startAgent(options);
  onTestFinished(() => agent[Symbol.asyncDispose]());
  return { ...agent, tee: connectTee(agent.socket) };
}

test('seals with a key of the enclave, which another application does not get', async () => {
  const { tee, calls, directory } = await startAgentOfTest();
  const { identity } = (await openNodeStore(directory, [tee.sealingKey], inEnclave)).read();
  expect(await readFile(join(directory, 'node.json'), 'utf8')).not.toContain(identity);
  expect((await openNodeStore(directory, [tee.sealingKey], inEnclave)).read().identity).toBe(identity);
  expect(calls[0]).toEqual({ path: '/GetKey', body: { path: 'latchkey/key-node', purpose: 'sealing' } });
  const other = await startAgentOfTest({ applicationKey: '22'.repeat(32) });
  await expect(openNodeStore(directory, [other.tee.sealingKey], inEnclave)).rejects.toThrow(
    'was not made in this enclave',
  );
});

test('refuses a file that a passphrase has ever sealed, and leaves it as it is', async () => {
  const { tee, directory } = await startAgentOfTest();
  const passphrase: [DeriveKey] = [passphraseKey('11'.repeat(32))];
  await openNodeStore(directory, passphrase);
  const file = join(directory, 'node.json');
  const refused = async () => {
    const before = await readFile(file, 'utf8');
    await expect(openNodeStore(directory, [tee.sealingKey], inEnclave)).rejects.toThrow(
      /empty KEYNODE_DATA_DIR, then "npm run keys -- reshare"/,
    );
    expect(await readFile(file, 'utf8')).toBe(before);
  };
  await refused();
  // Seals with the enclave's key and a passphrase.
  await openNodeStore(directory, [tee.sealingKey, ...passphrase]);
  await refused();
});

test('attests the identity of the node for the nonce of the client, and limits the quotes per address', async () => {
  const { tee, calls } = await startAgentOfTest();
  const publicKey = 'ab'.repeat(32);
  const nonce = '01'.repeat(32);
  const identity = { publicKey, sign: () => '' };
  const attest = (asked: string) => tee.quote(publicKey, asked);
  const quoteLimit = createAddressLimit({ name: 'test', points: 1, message: 'too many' });
  const ask = () =>
    getAttestation.handle({ identity, attest, quoteLimit }, { query: { nonce }, ip: '192.0.2.1' } as never);
  const quote = expect.stringMatching(/^[0-9a-f]+$/);
  expect(await ask()).toEqual({ public_key: publicKey, quote, event_log: '[]', vm_config: '{}' });
  const report_data = reportData({ purpose: 'key-node', identity: publicKey, nonce });
  expect(calls).toEqual([{ path: '/GetQuote', body: { report_data } }]);
  await expect(ask()).rejects.toMatchObject({ status: 429 });
});

test.each<[string, Partial<QuoteSubject>]>([
  ['purpose', { purpose: 'runner' }],
  ['identity', { identity: 'cd'.repeat(32) }],
  ['nonce', { nonce: '02'.repeat(32) }],
])('binds a quote to its %s', (_, other) => {
  const subject: QuoteSubject = { purpose: 'key-node', identity: 'ab'.repeat(32), nonce: '01'.repeat(32) };
  expect(reportData({ ...subject, ...other })).not.toBe(reportData(subject));
});

test('returns 404 outside a TEE', async () => {
  const identity = { publicKey: '', sign: () => '' };
  const quoteLimit = createAddressLimit({ name: 'test', points: 1, message: 'too many' });
  const refused = async () => getAttestation.handle({ identity, attest: undefined, quoteLimit }, {} as never);
  await expect(refused()).rejects.toMatchObject({ status: 404 });
});

test('rejects when the agent is not there or fails', async () => {
  await expect(connectTee('/nowhere/dstack.sock').quote('', '')).rejects.toThrow(
    'does not answer at /nowhere',
  );
  const { tee } = await startAgentOfTest({ status: 500 });
  await expect(tee.quote('', '')).rejects.toThrow('returned 500 for /GetQuote');
  const { tee: malformed } = await startAgentOfTest({ applicationKey: 'short' });
  await expect(malformed.sealingKey(new Uint8Array(16))).rejects.toThrow();
});
