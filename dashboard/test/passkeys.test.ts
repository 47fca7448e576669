/** Passkeys of approvers, with the virtual authenticator of Chromium. */
import { createClient } from '@latchkey/sdk';
import { hasChromium } from '@latchkey/testing/chromium';
import { stack } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addRunner, newManagedAccount } from './accounts.ts';
import { addAuthenticator, expectAccessible, expectFits, openDashboard, useChromium } from './browser.ts';

const askingCode = (passkeys: string[]) => `// ${crypto.randomUUID()}
async function main() {
  await Svc.Actions.requireApproval({
    summary: 'Pay alice 1 ETH',
    hash: ethers.utils.id('alice'),
    passkeyApprovers: ${JSON.stringify(passkeys)},
    passkeyRpId: 'localhost',
    threshold: 1,
    expires: Math.floor(Date.now() / 1000) + 3600,
  });
  return 'paid';
}`;

async function ask(passkeys: string[]) {
  const usageKey = await addRunner(await newManagedAccount());
  const client = createClient({ url: stack.url, apiKey: usageKey });
  const { approvalId } = await client.runAction({ code: askingCode(passkeys) });
  return { client, approvalId: approvalId as string };
}

async function makePasskey(page: Page): Promise<string> {
  await page.getByLabel(/^Name/).fill('Dora');
  await page.getByRole('button', { name: 'Make the passkey' }).click();
  return page.getByRole('textbox', { name: 'Public key' }).inputValue();
}

describe.runIf(hasChromium)('passkeys of approvers', () => {
  useChromium();

  test('from a new passkey to the finished run, without an account', async () => {
    await using dashboard = await openDashboard({
      host: 'localhost',
      path: '/approvals/passkey',
      width: 375,
    });
    const { page, open, url } = dashboard;
    const authenticator = await addAuthenticator(page);
    await open();
    await expectAccessible(page);
    const publicKey = await makePasskey(page);
    await page.getByText("passkeyRpId: 'localhost'").waitFor();
    await expectAccessible(page);
    await expectFits(page);
    expect(await authenticator.credentials()).toMatchObject([
      { isResidentCredential: true, rpId: 'localhost', userName: 'Dora (approver)' },
    ]);
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).toBe('[{},{}]');

    const { client, approvalId } = await ask([publicKey]);
    await page.goto(`${url}/approvals/${approvalId}`);
    const approve = page.getByRole('button', { name: 'Approve with a passkey' });
    await approve.waitFor();
    await page.getByText('1 of 1').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await approve.click();
    await page.getByText('has signed', { exact: true }).waitFor();
    await page.getByText('Approved', { exact: true }).waitFor();
    expect((await client.getApproval({ approvalId })).signedBy).toEqual([publicKey]);
    expect(await client.continueRun({ approvalId })).toMatchObject({ response: 'paid', hasError: false });
  });

  test('one of another person, or without verification, approves nothing; its owner can refuse where it is an approver', async () => {
    await using dashboard = await openDashboard({ host: 'localhost', path: '/approvals/passkey' });
    const { page, open, url } = dashboard;
    const authenticator = await addAuthenticator(page);
    await open();
    const first = await makePasskey(page);
    await authenticator.clear();
    await open();
    const second = await makePasskey(page);
    expect(second).not.toBe(first);
    const { client, approvalId } = await ask([first]);
    await page.goto(`${url}/approvals/${approvalId}`);
    await page.getByRole('button', { name: 'Approve with a passkey' }).click();
    await page.getByText('No passkey among the approvers has signed').waitFor();
    expect(await client.getApproval({ approvalId })).toMatchObject({ state: 'waiting', signedBy: [] });
    const own = await ask([first, second]);
    const unverified = await ask([second]);
    await page.goto(`${url}/approvals/${own.approvalId}`);
    await page.getByRole('button', { name: 'Refuse with a passkey' }).click();
    await page.getByText('has refused').waitFor();
    expect(await own.client.getApproval({ approvalId: own.approvalId })).toMatchObject({
      state: 'refused',
      refusedBy: second,
    });
    await authenticator.setVerified(false);
    await page.goto(`${url}/approvals/${unverified.approvalId}`);
    await page.getByRole('button', { name: 'Approve with a passkey' }).click();
    await page.getByText('No passkey has signed').waitFor();
    expect((await client.getApproval({ approvalId: unverified.approvalId })).signedBy).toEqual([]);
  });

  test('a page of another domain offers none, and says where', async () => {
    await using dashboard = await openDashboard({ path: '/approvals/passkey' });
    const { page, open, url } = dashboard;
    await open();
    await page.getByText('This browser offers no passkeys here').waitFor();
    const { approvalId } = await ask([
      `0x02da227cc22eb1994c43776e32ff249a4295c5da1b491729d60ce5dbd8c8fbe82b`,
    ]);
    await page.goto(`${url}/approvals/${approvalId}`);
    await page.getByText('work on pages of localhost only').waitFor();
    expect(await page.getByRole('button', { name: 'Approve with a passkey' }).count()).toBe(0);
  });
});
