/** An account key that the browser keeps sealed with a passkey, with the virtual authenticator of Chromium. */
import { hasChromium } from '@latchkey/testing/chromium';
import { newAccount } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  addAuthenticator,
  expectAccessible,
  expectFits,
  openDashboard,
  signIn,
  useChromium,
} from './browser.ts';

const STORED = 'latchkey.account-key';
type Sealed = { salt: string; nonce: string; text: string; passkey: string };
const onLocalhost = { host: 'localhost' } as const;

const readStored = (page: Page): Promise<string | null> =>
  page.evaluate((name) => localStorage.getItem(name), STORED);

/** Signs in and has the browser keep the key, sealed with a new passkey. */
async function keepKey(page: Page, key: string): Promise<string> {
  await page.getByLabel('Keep it in this browser, sealed').check();
  await page.getByRole('radio', { name: 'Passkey' }).waitFor({ state: 'attached' });
  await signIn(page, key);
  const stored = await readStored(page);
  if (stored === null) throw new Error('nothing was stored');
  return stored;
}

const touch = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Sign in with the passkey' }).click();

const writeStored = async (page: Page, value: string): Promise<void> => {
  await page.evaluate(([name, text]) => localStorage.setItem(name, text), [STORED, value] as const);
  await page.reload();
};

/** Opens the dashboard in another browser, with an authenticator, that has the stored value. */
async function openStolen(stored: string) {
  const dashboard = await openDashboard(onLocalhost);
  const { page, open } = dashboard;
  await addAuthenticator(page);
  await open();
  await writeStored(page, stored);
  return dashboard;
}

describe.runIf(hasChromium)('an account key that is sealed with a passkey', () => {
  useChromium();

  test('opens with one touch after a reload, until it is deleted', async () => {
    const { key } = await newAccount();
    await using dashboard = await openDashboard({ ...onLocalhost, width: 375 });
    const { page, open } = dashboard;
    const authenticator = await addAuthenticator(page);
    await open();
    const stored = await keepKey(page, key);
    expect(stored).not.toContain(key);
    expect(await authenticator.credentials()).toMatchObject([
      { rpId: 'localhost', userName: 'Latchkey account key' },
    ]);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in with the passkey' }).waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await touch(page);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await readStored(page)).toBe(stored);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Delete the sealed key from this browser' }).click();
    await page
      .getByLabel(/^Account key/)
      .last()
      .waitFor();
    expect(await readStored(page)).toBeNull();
  });

  test('is deleted in the settings, which name the passkey', async () => {
    const { key } = await newAccount();
    await using dashboard = await openDashboard({ ...onLocalhost, path: '/settings' });
    const { page, open } = dashboard;
    await addAuthenticator(page);
    await open();
    await keepKey(page, key);
    await page.getByText('sealed with your passkey').waitFor();
    await page.getByRole('button', { name: 'Delete the sealed key' }).click();
    await page.getByText('It keeps no account key').waitFor();
    expect(await readStored(page)).toBeNull();
  });

  test('does not open without its passkey, or without a verified user', async () => {
    const { key } = await newAccount();
    await using dashboard = await openDashboard(onLocalhost);
    const { page, open } = dashboard;
    const authenticator = await addAuthenticator(page);
    await open();
    const stored = await keepKey(page, key);
    await using stolen = await openStolen(stored);
    await touch(stolen.page);
    await stolen.page.getByText('No passkey was used').waitFor();
    expect(await stolen.page.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
    await page.reload();
    await authenticator.setVerified(false);
    await touch(page);
    await page.getByText('No passkey was used').waitFor();
  });

  test('does not open with another passkey in the place of its own', async () => {
    const { key } = await newAccount();
    await using dashboard = await openDashboard(onLocalhost);
    const { page, open } = dashboard;
    await addAuthenticator(page);
    await open();
    const sealed = JSON.parse(await keepKey(page, key)) as Sealed;
    const other = await newAccount();
    await page.evaluate((name) => localStorage.removeItem(name), STORED);
    await page.reload();
    const { passkey } = JSON.parse(await keepKey(page, other.key)) as Sealed;
    expect(passkey).not.toBe(sealed.passkey);
    await writeStored(page, JSON.stringify({ ...sealed, passkey }));
    await touch(page);
    await page.getByText('The passkey does not open the sealed key.').waitFor();
  });

  test('the stored value alone has no key that opens it', async () => {
    const { key } = await newAccount();
    await using dashboard = await openDashboard(onLocalhost);
    const { page, open } = dashboard;
    await addAuthenticator(page);
    await open();
    const sealed = JSON.parse(await keepKey(page, key)) as Sealed;
    expect(Object.keys(sealed).toSorted()).toEqual(['nonce', 'passkey', 'salt', 'text']);
    const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'base64'));
    const { subtle } = crypto;
    const decryptWith = async (secret: Uint8Array<ArrayBuffer>): Promise<string> => {
      const info = new TextEncoder().encode('latchkey account key');
      const derivation = { name: 'HKDF', hash: 'SHA-256', salt: bytes(sealed.salt), info };
      const material = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey']);
      const aes = { name: 'AES-GCM', length: 256 };
      const derived = await subtle.deriveKey(derivation, material, aes, false, ['decrypt']);
      const iv = bytes(sealed.nonce);
      return Buffer.from(
        await subtle.decrypt({ name: 'AES-GCM', iv }, derived, bytes(sealed.text)),
      ).toString();
    };
    for (const text of ['', sealed.salt, sealed.nonce, sealed.passkey, sealed.text])
      await expect(decryptWith(bytes(text))).rejects.toThrow();
    // The attack is the right one: the secret of the passkey opens it.
    const secret = await page.evaluate(async ({ passkey, salt }) => {
      const of = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      const credential = (await navigator.credentials.get({
        publicKey: {
          challenge: new Uint8Array(32),
          allowCredentials: [{ type: 'public-key', id: of(passkey) }],
          userVerification: 'required',
          extensions: { prf: { eval: { first: of(salt) } } },
        },
      })) as PublicKeyCredential;
      const { prf } = credential.getClientExtensionResults();
      return btoa(String.fromCharCode(...new Uint8Array(prf?.results?.first as ArrayBuffer)));
    }, sealed);
    expect(await decryptWith(bytes(secret))).toBe(key);
  });

  test('an authenticator that derives no secrets seals nothing, and a passphrase does', async () => {
    const { key } = await newAccount();
    await using dashboard = await openDashboard(onLocalhost);
    const { page, open } = dashboard;
    await addAuthenticator(page, { hasPrf: false });
    await open();
    await page.getByLabel('Keep it in this browser, sealed').check();
    await page
      .getByLabel(/^Account key/)
      .and(page.locator('input[type=password]'))
      .fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This passkey cannot seal a key').waitFor();
    expect(await readStored(page)).toBeNull();
    await page.getByText('Passphrase', { exact: true }).click();
    await page
      .getByLabel(/^Passphrase/)
      .last()
      .fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(JSON.parse((await readStored(page)) ?? '')).not.toHaveProperty('passkey');
  });
});
