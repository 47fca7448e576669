import { SealError } from '@latchkey/service/sealer';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { keyProviderFrom } from './local-key-provider.ts';

const provider = keyProviderFrom(Uint8Array.from({ length: 32 }, (_, i) => i));
const other = keyProviderFrom(Uint8Array.from({ length: 32 }, (_, i) => i + 1));
const PATH = 0x1234n;
const CID = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';

describe('derivation', () => {
  test('every secret equals its pinned vector', async () => {
    expect({
      signing: await provider.derive(PATH),
      signingAtZero: await provider.derive(0n),
      signingAtLast: await provider.derive((1n << 256n) - 1n),
      encryption: toHex(await provider.deriveEncryption(PATH)),
      action: await provider.deriveAction(CID),
      usageKey: await provider.deriveUsageKeySecret(PATH),
    }).toMatchInlineSnapshot(`
      {
        "action": "0x9a93cfc66c9551ed380643858c00ffd5d03477efa6165d68c84e90a1db9d19f2",
        "encryption": "0xbdf4ca608cc79bf97658bd8cabcf93997613c33cf1c85c37dbb083398e84e7f4",
        "signing": "0x648fed5fd8d4cfa5cf05035fa9bda95b04dfe664d762913613745f3e95b3c6f9",
        "signingAtLast": "0x063c3d9150fdceeaf1ae20ded7253b4134be4245f9738ddccc9ae065116e8ee3",
        "signingAtZero": "0x6b23db118d597351c378f8569b6becfd777b5b06ba215a303c8fe72761e5c448",
        "usageKey": "0x4f8532143a8bf607bae7829e4962eedec0679d8e87f559a3e6e45fdd1f57fb17",
      }
    `);
  });

  test('label, argument and root secret each change every secret', async () => {
    const secrets = [];
    for (const from of [provider, other]) {
      for (const path of [0n, 1n, PATH, 1n << 96n]) {
        secrets.push(await from.derive(path), await from.deriveUsageKeySecret(path));
        secrets.push(toHex(await from.deriveEncryption(path)));
      }
      for (const cid of ['', CID, `${CID}0`]) secrets.push(await from.deriveAction(cid));
    }
    expect(new Set(secrets).size).toBe(secrets.length);
  });

  test('signing secrets are scalars and have an address', async () => {
    for (let path = 0n; path < 50n; path++) {
      const scalar = BigInt(await provider.derive(path));
      expect(scalar > 0n && scalar < secp256k1.Point.Fn.ORDER).toBe(true);
      expect(privateKeyToAddress(await provider.deriveUsageKeySecret(path))).toMatch(/^0x/);
    }
  });

  test.each([-1n, 1n << 256n])('throws a RangeError for the path %d', async (path) => {
    await expect(provider.derive(path)).rejects.toThrow(RangeError);
    await expect(provider.deriveEncryption(path)).rejects.toThrow(RangeError);
    await expect(provider.deriveUsageKeySecret(path)).rejects.toThrow(RangeError);
  });
});

describe('sealer', () => {
  test('each label and root secret has its own key', () => {
    const sealed = provider.sealer('replies').seal('secret', 'row 1');
    expect(provider.sealer('replies').openText(sealed, 'row 1')).toBe('secret');
    expect(() => provider.sealer('triggers').open(sealed, 'row 1')).toThrow(SealError);
    expect(() => other.sealer('replies').open(sealed, 'row 1')).toThrow(SealError);
  });

  test('opens values sealed by earlier versions', () => {
    const sealed = 'AV6LpNpL7wRNGd_pMb9rJszERiEX3CG4xpzEw-TG7yqo390';
    const earlier = keyProviderFrom(new Uint8Array(32).fill(1));
    expect(earlier.sealer('replies').openText(sealed, 'row 1')).toBe('secret');
  });
});
