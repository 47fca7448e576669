/** Signatures of key nodes, verified by software of the ecosystems that they are for. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { base58, bech32m } from '@scure/base';
import { importJWK, jwtVerify } from 'jose';
import { verifySchnorr, xOnlyPointAddTweak } from 'tiny-secp256k1';
import { expect, test } from 'vitest';
import type { ToSign } from './signatures.ts';
import { start, TO_SIGN } from './testing-signers.ts';

const { sign: signBy } = start({});
const sign = (keyType: ToSign['keyType'], message: Uint8Array) => signBy({ ...TO_SIGN, keyType, message });
const jwkOf = (publicKey: Uint8Array) => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: Buffer.from(publicKey).toString('base64url'),
});

test('jose accepts a JWT with the algorithm EdDSA', async () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part({ alg: 'EdDSA', typ: 'JWT' })}.${part({ sub: 'a wallet' })}`;
  const { signature, publicKey } = await sign('ed25519', Buffer.from(input));
  const key = await importJWK(jwkOf(publicKey), 'EdDSA');
  const { payload } = await jwtVerify(`${input}.${Buffer.from(signature).toString('base64url')}`, key);
  expect(payload).toEqual({ sub: 'a wallet' });
});

test('the public key is a Solana address, whose key verifies a transaction message', async () => {
  const { publicKey } = await sign('ed25519', new Uint8Array());
  const address = base58.encode(publicKey);
  const receiver = new Uint8Array(32).fill(9);
  // A legacy message: one signer, one read-only account (the system program), a transfer of 1 lamport.
  const transfer = [2, 2, 0, 1, 12, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
  const message = Buffer.concat([
    Buffer.from([1, 0, 1, 3]),
    ...[base58.decode(address), receiver, new Uint8Array(32)],
    ...[new Uint8Array(32).fill(3), Buffer.from([1, ...transfer])],
  ]);
  const { signature } = await sign('ed25519', message);
  const key = createPublicKey({ key: jwkOf(base58.decode(address)), format: 'jwk' });
  expect(verify(null, message, key, signature)).toBe(true);
});

const string = (bytes: Uint8Array | string): Buffer => {
  const content = Buffer.from(bytes as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
};
const hasSshKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined;
test.skipIf(!hasSshKeygen)('ssh-keygen verifies a signature of a file (sshsig)', async () => {
  const file = Buffer.from('a file');
  const hash = createHash('sha512').update(file).digest();
  const fields = [string('file'), string(''), string('sha512')];
  const { signature, publicKey } = await sign(
    'ed25519',
    Buffer.concat([Buffer.from('SSHSIG'), ...fields, string(hash)]),
  );
  const key = Buffer.concat([string('ssh-ed25519'), string(publicKey)]);
  const own = string(Buffer.concat([string('ssh-ed25519'), string(signature)]));
  const blob = Buffer.concat([Buffer.from('SSHSIG'), Buffer.from([0, 0, 0, 1]), string(key), ...fields, own]);
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? [];
  const directory = mkdtempSync(join(tmpdir(), 'sshsig-'));
  try {
    writeFileSync(join(directory, 'signers'), `wallet ssh-ed25519 ${key.toString('base64')}\n`);
    writeFileSync(
      join(directory, 'sig'),
      ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n'),
    );
    const check = ['-Y', 'verify', '-f', 'signers', '-I', 'wallet', '-n', 'file', '-s', 'sig'];
    const output = execFileSync('ssh-keygen', check, { cwd: directory, input: file, encoding: 'utf8' });
    expect(output).toContain('Good "file" signature for wallet');
    expect(() =>
      execFileSync('ssh-keygen', check, { cwd: directory, input: 'another', stdio: 'pipe' }),
    ).toThrow();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('libsecp256k1 verifies BIP 340 signatures, and spends a Taproot address by its key', async () => {
  const hash = createHash('sha256').update('a sighash').digest();
  const { signature, publicKey: internal } = await sign('bip340', hash);
  expect(verifySchnorr(hash, internal, signature)).toBe(true);
  const { signature: spend, publicKey: output } = await sign('taproot', hash);
  // BIP 86: the output key commits to no scripts.
  const tag = createHash('sha256').update('TapTweak').digest();
  const tweak = createHash('sha256').update(tag).update(tag).update(internal).digest();
  expect(Buffer.from(xOnlyPointAddTweak(internal, tweak)?.xOnlyPubkey ?? [])).toEqual(Buffer.from(output));
  const address = bech32m.encode('bc', [1, ...bech32m.toWords(output)]);
  expect(address).toMatch(/^bc1p[02-9ac-hj-np-z]{58}$/);
  const [, ...words] = bech32m.decode(address as `bc1${string}`).words;
  expect(verifySchnorr(hash, bech32m.fromWords(words), spend)).toBe(true);
});
