import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ofPassphrase, openNodeStore } from './node-store.ts';
import { getAttestation } from './routes/get_attestation.ts';
import { connectTee, reportData } from './tee.ts';

type Call = { path: string | undefined; body: Record<string, string> };

/** Starts a stand-in for dstack's guest agent with a key of its application. */
async function startAgent(applicationKey: string, status = 200) {
  const directory = await mkdtemp(join(tmpdir(), 'dstack-'));
  const socket = join(directory, 'dstack.sock');
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    calls.push({ path: request.url, body });
    const reply =
      request.url === '/GetKey'
        ? { key: applicationKey, signature_chain: [] }
        : { quote: `04${body.report_data}`, event_log: '[]' };
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply));
  }).listen(socket);
  await new Promise((listening) => server.once('listening', listening));
  onTestFinished(async () => {
    server.close();
    await rm(directory, { recursive: true });
  });
  return { tee: connectTee(socket), calls, directory };
}

test('seals with a key of the enclave, which another application does not get', async () => {
  const { tee, calls, directory } = await startAgent('11'.repeat(32));
  const { identity } = (await openNodeStore(directory, [tee.sealingKey])).read();
  expect(await readFile(join(directory, 'node.json'), 'utf8')).not.toContain(identity);
  expect((await openNodeStore(directory, [tee.sealingKey])).read().identity).toBe(identity);
  expect(calls[0]).toEqual({ path: '/GetKey', body: { path: 'latchkey/key-node', purpose: 'sealing' } });
  const other = await startAgent('22'.repeat(32));
  await expect(openNodeStore(directory, [other.tee.sealingKey])).rejects.toThrow('does not open');
});

test('takes over a file that a passphrase has sealed', async () => {
  const { tee, directory } = await startAgent('11'.repeat(32));
  const passphrase = ofPassphrase('a passphrase of a test');
  const { identity } = (await openNodeStore(directory, [passphrase])).read();
  await openNodeStore(directory, [tee.sealingKey, passphrase]);
  expect((await openNodeStore(directory, [tee.sealingKey])).read().identity).toBe(identity);
});

test('attests the identity of the node', async () => {
  const { tee, calls } = await startAgent('11'.repeat(32));
  const publicKey = 'ab'.repeat(32);
  const identity = { publicKey, sign: () => '' };
  const attest = () => tee.quote(publicKey);
  const reply = await getAttestation.handle({ identity, attest }, {} as never);
  const report_data = reportData(publicKey);
  expect(reply).toEqual({ public_key: publicKey, report_data, quote: `04${report_data}`, event_log: '[]' });
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
  const { tee } = await startAgent('11'.repeat(32), 500);
  await expect(tee.quote('')).rejects.toThrow('returned 500 for /GetQuote');
  const { tee: malformed } = await startAgent('short');
  await expect(malformed.sealingKey(new Uint8Array(16))).rejects.toThrow();
});
