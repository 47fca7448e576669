import { SealError } from '@latchkey/service/sealer';
import { expect, test } from 'vitest';
import { openRootSecrets, rootSecretsFrom } from './root-secrets.ts';

const secrets = rootSecretsFrom(Uint8Array.from({ length: 32 }, (_, i) => i));
const other = rootSecretsFrom(Uint8Array.from({ length: 32 }, (_, i) => i + 1));

test('each label and root secret has its own key', () => {
  const sealed = secrets.sealer('replies').seal('secret', 'row 1');
  expect(secrets.sealer('replies').openText(sealed, 'row 1')).toBe('secret');
  expect(() => secrets.sealer('triggers').open(sealed, 'row 1')).toThrow(SealError);
  expect(() => other.sealer('replies').open(sealed, 'row 1')).toThrow(SealError);
  expect(secrets.receiptSigningKey).not.toBe(other.receiptSigningKey);
});

test('ROOT_SECRET needs no directory', async () => {
  const place = {
    dataDir: '/does/not/exist',
    secrets: { rootSecret: '01'.repeat(32), rootSecretPassphrase: 'local' },
  };
  const { receiptSigningKey } = await openRootSecrets(place);
  expect(receiptSigningKey).toBe(rootSecretsFrom(new Uint8Array(32).fill(1)).receiptSigningKey);
});

test('opens values sealed by earlier versions', () => {
  const sealed = 'AV6LpNpL7wRNGd_pMb9rJszERiEX3CG4xpzEw-TG7yqo390';
  const earlier = rootSecretsFrom(new Uint8Array(32).fill(1));
  expect(earlier.sealer('replies').openText(sealed, 'row 1')).toBe('secret');
});

test('signs receipts by the key of earlier versions, which their readers know', () => {
  const { receiptSigningKey } = rootSecretsFrom(new Uint8Array(32).fill(1));
  expect(receiptSigningKey).toBe('0x6205f2b07833e0cf680f4c66e288dc7d56c53a343538a1d0c6c9925692880f84');
});
