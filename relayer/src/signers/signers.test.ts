import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChainUnavailableError } from '@latchkey/chain/errors';
import type { OutboxOptions, Signer } from '@latchkey/outbox';
import { localSigner } from '@latchkey/service/secp256k1';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { type Hex, parseTransaction } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { accountCall, type OutboxFixture, openOutboxFixture } from '../../test/outbox-fixture.ts';
import { AWS, type Fault, GCP_KEY, startSignerStandIns } from '../../test/signer-stand-ins.ts';
import { transactions } from '../db/schema.ts';
import { openSigners } from './open-signers.ts';
import { addressOfSpki, remoteSigner } from './remote-key.ts';
import { web3SignerKey } from './web3signer.ts';

let fixture: OutboxFixture;
let standIn: Awaited<ReturnType<typeof startSignerStandIns>>;
const resources = new AsyncDisposableStack();
beforeAll(async () => {
  fixture = resources.use(await openOutboxFixture({ payerCount: 2 }));
  standIn = resources.use(await startSignerStandIns(fixture.keys[0] as Hex));
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', standIn.url);
  vi.stubEnv('AWS_ACCESS_KEY_ID', AWS.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'hidden');
  vi.stubEnv('GCE_METADATA_HOST', standIn.host);
  vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) =>
    fetch(String(url).replace('https://cloudkms.googleapis.com', standIn.url), init),
  );
});
beforeEach(() => {
  standIn.fault = undefined;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await resources.disposeAsync();
});

const nothing = { payerPrivateKeys: [], payers: [], keystorePassphrase: '' };
const uris = {
  'AWS KMS': () => `aws-kms:${AWS.region}/${AWS.keyId}`,
  'Google Cloud KMS': () => `gcp-kms:${GCP_KEY}`,
  Web3Signer: () => `web3signer:${standIn.url}#${standIn.address}`,
};
const kinds = Object.keys(uris) as (keyof typeof uris)[];
const open = async (kind: keyof typeof uris): Promise<Signer> => {
  const [signer] = await openSigners({ ...nothing, payers: [uris[kind]()] });
  return signer as Signer;
};
const started = async (signers: Signer[], options: Partial<OutboxOptions> = {}) => {
  const payers = fixture.payers({ signers, ...options });
  await payers.start();
  return payers;
};
const stored = () => fixture.db.select().from(transactions);
const loaded = (): string =>
  Object.keys(createRequire(import.meta.url).cache)
    .filter((path) => /client-kms|google-auth-library/.test(path))
    .join();

test('keys from the environment load no client of a cloud', async () => {
  const [signer] = await openSigners({ ...nothing, payerPrivateKeys: fixture.keys });
  expect(signer?.address).toBe(fixture.addresses[0]);
  expect(loaded()).toBe('');
  await open('AWS KMS');
  expect(loaded()).toContain('client-kms');
});

describe.each(kinds)('a key in %s', (kind) => {
  test.each<[string, Fault | undefined]>([
    ['signs a transaction that the chain mines', undefined],
    ['signs one also when the service returns the higher s', 'high s'],
  ])('%s', async (_what, fault) => {
    const payers = await started([await open(kind)]);
    standIn.fault = fault;
    const { status, from } = await payers.send(accountCall(`${kind} ${fault}`));
    expect({ status, from }).toEqual({ status: 'success', from: standIn.address.toLowerCase() });
    expect(payers.status()).toMatchObject([{ signerFails: false }]);
  });

  test.each<Fault>(['other key', 'other bytes', 'refusal', 'no signature'])(
    'stores and broadcasts nothing after %s',
    async (fault) => {
      const lines: string[] = [];
      const log = { error: (fields: object) => lines.push(JSON.stringify(fields)) };
      const payers = await started([await open(kind)], { log: { ...log, info() {}, warn() {} } as never });
      standIn.fault = fault;
      const before = await stored();
      await expect(payers.send(accountCall(`${kind} ${fault}`))).rejects.toThrow(ChainUnavailableError);
      expect(await stored()).toHaveLength(before.length);
      expect(payers.status()).toMatchObject([{ address: standIn.address, signerFails: true }]);
      expect(lines).toEqual([expect.stringContaining(standIn.address)]);
    },
  );
});

test('a signer that does not answer in time costs another payer a wait, not the write', async () => {
  const silent = remoteSigner(await web3SignerKey(`${standIn.url}#${standIn.address}`), 200);
  const other = localSigner(fixture.keys[1] as Hex);
  const payers = await started([silent, other]);
  standIn.fault = 'silence';
  const { from } = await payers.send(accountCall('silence'));
  expect(from).toBe(other.address.toLowerCase());
  expect(payers.status()).toMatchObject([{ signerFails: true }, { signerFails: false }]);
  standIn.fault = undefined;
  await expect(silent.sign(unsigned)).resolves.toMatch(/^0x02/);
});

const unsigned = { type: 'eip1559', chainId: 1, nonce: 0, maxFeePerGas: 1n } as const;

test('a signature with the higher s is changed to the lower one', async () => {
  const signer = await open('Web3Signer');
  standIn.fault = 'high s';
  const { s } = parseTransaction((await signer.sign(unsigned)) as `0x02${string}`);
  expect(BigInt(s ?? 0)).toBeLessThan(2n ** 255n);
});

test('a key of another curve and a key that Web3Signer does not have are refused', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  expect(() => addressOfSpki(publicKey.export({ format: 'der', type: 'spki' }))).toThrow('P-256');
  const other = `${standIn.url}#${fixture.addresses[1]}`;
  await expect(web3SignerKey(other)).rejects.toThrow(`no key of ${fixture.addresses[1]}`);
});

test('one key at two services is refused, and a key that cannot be opened is named without its URI', async () => {
  const payers = [uris.Web3Signer(), uris['AWS KMS']()];
  await expect(openSigners({ ...nothing, payers })).rejects.toThrow(`${standIn.address} is listed twice`);
  const error = await openSigners({ ...nothing, payers: ['keystore:/hidden'] }).catch(String);
  expect(error).toMatch(/PAYERS: the key at position 1/);
  expect(error).not.toContain('hidden');
});

describe('a key file', () => {
  /** The test vector of the Web3 Secret Storage Definition, and the same key as ethers 5 writes it. */
  const cipher = (iv: string, ciphertext: string, mac: string) => ({
    ...{ cipher: 'aes-128-ctr', cipherparams: { iv }, ciphertext, mac },
  });
  const files = {
    pbkdf2: {
      ...cipher(
        '6087dab2f9fdbbfaddc31a909735c1e6',
        '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
        '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
      ),
      kdf: 'pbkdf2',
      kdfparams: {
        c: 262_144,
        dklen: 32,
        prf: 'hmac-sha256',
        salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
      },
    },
    scrypt: {
      ...cipher(
        '6abdb8b0f4db82bc6cd4df583d80b672',
        '293ab9860a61085b2eefe88ba026627707a37d3d77b0664fc450d469dba36140',
        '9df59f21f10901320b59cc5c98f706339bfa62878b8816a8369fedc7d7eac766',
      ),
      kdf: 'scrypt',
      kdfparams: {
        dklen: 32,
        n: 4_096,
        p: 1,
        r: 8,
        salt: '08ad0839ffab71ce3ba0bfb7cd79feca61fca3b4ef5b442140ccb4c266163596',
      },
    },
  };
  const opened = async (content: object, keystorePassphrase: string) => {
    using directory = temporaryDirectory(tmpdir());
    const path = join(directory.path, 'key.json');
    writeFileSync(path, JSON.stringify(content));
    return await openSigners({ ...nothing, payers: [`keystore:${path}`], keystorePassphrase });
  };

  test.each(Object.entries(files))('of %s has the key of its test vector', async (_kdf, crypto) => {
    const [signer] = await opened({ version: 3, crypto }, 'testpassword');
    expect(signer?.address).toBe('0x008AeEda4D805471dF9b2A5B0f38A0C3bCBA786b');
  });

  test.each([
    ['with a wrong passphrase', { version: 3, crypto: files.pbkdf2 }, 'wrong'],
    ['of another version', { version: 1, crypto: files.pbkdf2 }, 'testpassword'],
    ['without a cipher', { version: 3 }, 'testpassword'],
  ])('%s is refused', async (_what, content, passphrase) => {
    await expect(opened(content, passphrase)).rejects.toThrow('PAYERS: the key at position 1');
  });
});
