import { expect, test } from 'vitest';
import { createRecipient, partialSealerFor, type Recipient } from './recipient.ts';
import { KeyRequestError } from './request.ts';

const ID = '0a'.repeat(16);
const PARTIAL = new Uint8Array(101).fill(7);
/** Returns what node 3 seals. */
const sealFor = async ({ publicKey }: Recipient) => (await partialSealerFor(publicKey))(PARTIAL, ID, 3);

test('opens what a node sealed for the statement', async () => {
  const recipient = await createRecipient();
  const sealed = await sealFor(recipient);
  expect(await recipient.open(sealed, ID, 3)).toEqual(PARTIAL);
});

test('opens nothing for another statement, node or recipient, and nothing changed or malformed', async () => {
  const recipient = await createRecipient();
  const other = await createRecipient();
  const sealed = await sealFor(recipient);
  const bytes = Buffer.from(sealed, 'base64');
  const refused = 'does not open';
  await expect(recipient.open(sealed, '0b'.repeat(16), 3)).rejects.toThrow(`key node 3 ${refused}`);
  await expect(recipient.open(sealed, ID, 2)).rejects.toThrow(refused);
  await expect(other.open(sealed, ID, 3)).rejects.toThrow(refused);
  for (let at = 0; at < bytes.length; at += 13) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await expect(recipient.open(changed.toString('base64'), ID, 3)).rejects.toThrow(refused);
  }
  for (const malformed of ['', 'AA==', sealed.slice(0, 40)])
    await expect(recipient.open(malformed, ID, 3)).rejects.toThrow(refused);
});

test('seals the same partial evaluation differently each time', async () => {
  const recipient = await createRecipient();
  expect(await sealFor(recipient)).not.toBe(await sealFor(recipient));
});

test('rejects a public key of small order', async () => {
  await expect(partialSealerFor('00'.repeat(32))).rejects.toThrow(KeyRequestError);
});
