import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { passphraseKeys } from '@latchkey/service/passphrase-key';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentOptions, startAgent } from '../test/tee-stand-ins.ts';
import { openNodeStore } from './node-store.ts';
import { getAttestation } from './routes/get_attestation.ts';
import { connectTee, reportData } from './tee.ts';

/** Starts a guest agent that ends with the test. */
async function startAgentOfTest(options?: AgentOptions) {
  const agent = await startAgent(options);
  onTestFinished(() => agent[Symbol.asyncDispose]());
  return { ...agent, tee: connectTee(agent.socket) };
}

test('seals with a key of the enclave, which another application does not get', async () => {
  const { tee, calls, directory } = await startAgentOfTest();
  const { identity } = (await openNodeStore(directory, [tee.sealingKey])).read();
  expect(await readFile(join(directory, 'node.json'), 'utf8')).not.toContain(identity);
  expect((await openNodeStore(directory, [tee.sealingKey])).read().identity).toBe(identity);
  expect(calls[0]).toEqual({ path: '/GetKey', body: { path: 'latchkey/key-node', purpose: 'sealing' } });
  const other = await startAgentOfTest({ applicationKey: '22'.repeat(32) });
  await expect(openNodeStore(directory, [other.tee.sealingKey])).rejects.toThrow('does not open');
});

test('takes over a file that a passphrase has sealed', async () => {
  const { tee, directory } = await startAgentOfTest();
  const passphrase = passphraseKeys('a passphrase of a test');
  const { identity } = (await openNodeStore(directory, passphrase)).read();
  await openNodeStore(directory, [tee.sealingKey, ...passphrase]);
  expect((await openNodeStore(directory, [tee.sealingKey])).read().identity).toBe(identity);
});

test('attests the identity of the node', async () => {
  const { tee, calls } = await startAgentOfTest();
  const publicKey = 'ab'.repeat(32);
  const identity = { publicKey, sign: () => '' };
  const attest = () => tee.quote(publicKey);
  const reply = await getAttestation.handle({ identity, attest }, {} as never);
  const report_data = reportData(publicKey);
  const quote = expect.stringMatching(/^[0-9a-f]+$/);
  expect(reply).toEqual({ public_key: publicKey, report_data, quote, event_log: '[]', vm_config: '{}' });
  expect(calls).toEqual([{ path: '/GetQuote', body: { report_data } }]);
  expect(reportData('cd'.repeat(32))).not.toBe(report_data);
});

test('returns 404 outside a TEE', async () => {
  const identity = { publicKey: '', sign: () => '' };
  const refused = async () => getAttestation.handle({ identity, attest: undefined }, {} as never);
  await expect(refused()).rejects.toMatchObject({ status: 404 });
});

test('rejects when the agent is not there or fails', async () => {
  await expect(connectTee('/nowhere/dstack.sock').quote('')).rejects.toThrow('does not answer at /nowhere');
  const { tee } = await startAgentOfTest({ status: 500 });
  await expect(tee.quote('')).rejects.toThrow('returned 500 for /GetQuote');
  const { tee: malformed } = await startAgentOfTest({ applicationKey: 'short' });
  await expect(malformed.sealingKey(new Uint8Array(16))).rejects.toThrow();
});
