import { createClient } from '@latchkey/sdk';
import { hasChromium } from '@latchkey/testing/chromium';
import { stack } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import {
  addRunner,
  modes,
  newAccountIn,
  newBrowserWallet,
  openSignedIn,
  type TestAccount,
} from './accounts.ts';
import { expectAccessible, expectFits, openDashboard, useChromium } from './browser.ts';

const askingCode = (approvers: string[]) => `// ${crypto.randomUUID()}
async function main() {
  await Svc.Actions.requireApproval({
    summary: 'Pay <b>alice</b> 1 ETH',
    hash: ethers.utils.id('alice'),
    approvers: ${JSON.stringify(approvers)},
    threshold: 1,
    expires: Math.floor(Date.now() / 1000) + 3600,
  });
  return 'paid';
}`;
const clientOf = (usageKey: string) => createClient({ url: stack.url, apiKey: usageKey });

/** Runs code that needs the approval of one of these wallets. */
async function ask(account: TestAccount, approvers: string[]) {
  const client = clientOf(await addRunner(account));
  const { approvalId } = await client.runAction({ code: askingCode(approvers) });
  return { client, approvalId: approvalId as string };
}

describe.runIf(hasChromium)('approvals', () => {
  useChromium();

  test('an approver signs with a wallet and without an account, and the run goes on', async () => {
    await using dashboard = await openDashboard({ width: 375 });
    const { page } = dashboard;
    const wallet = await newBrowserWallet(page);
    const { client, approvalId } = await ask(await newAccountIn('api'), [wallet.address]);
    const approval = await client.getApproval({ approvalId });
    await page.goto(`${stack.dashboardUrl}/approvals/${approvalId}`);
    await page.getByText('Pay <b>alice</b> 1 ETH').waitFor();
    for (const text of [approval.cid, approval.hash, '1 of 1']) await page.getByText(text).waitFor();
    await expectAccessible(page);
    await expectFits(page);
    expect(wallet.asked).toEqual([]);
    await page.getByRole('button', { name: 'Test wallet' }).click();
    wallet.refuses = true;
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('alert').waitFor();
    expect((await client.getApproval({ approvalId })).signedBy).toEqual([]);
    wallet.refuses = false;
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('has signed').waitFor();
    await page.getByText('Approved', { exact: true }).waitFor();
    expect(wallet.asked).toEqual(['eth_signTypedData_v4', 'eth_signTypedData_v4']);
    expect(await client.continueRun({ approvalId })).toMatchObject({ response: 'paid', hasError: false });
    await page.reload();
    await page.getByText('Used', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Test wallet' }).count()).toBe(0);
  });

  test('an approver refuses; another wallet cannot decide', async () => {
    await using dashboard = await openDashboard();
    const { page } = dashboard;
    const wallet = await newBrowserWallet(page);
    const account = await newAccountIn('api');
    const other = await ask(account, ['0x00000000000000000000000000000000000000AA']);
    await page.goto(`${stack.dashboardUrl}/approvals/${other.approvalId}`);
    await page.getByRole('button', { name: 'Test wallet' }).click();
    await page.getByText('is not an approver of this run').waitFor();
    const { client, approvalId } = await ask(account, [wallet.address]);
    await page.goto(`${stack.dashboardUrl}/approvals/${approvalId}`);
    await page.getByRole('button', { name: 'Test wallet' }).click();
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('has refused').waitFor();
    expect(await client.getApproval({ approvalId })).toMatchObject({
      state: 'refused',
      refusedBy: wallet.address,
    });
  });

  test.each(modes)('the account lists its approvals, and its run says that it waits: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const { approvalId } = await ask(account, ['0x00000000000000000000000000000000000000AA']);
    await using dashboard = await openSignedIn(account, { path: '/approvals', width: 375 });
    const { page, sign } = dashboard;
    await sign();
    const table = page.getByRole('table', { name: 'Approvals' });
    await table.getByText('Pay <b>alice</b> 1 ETH').waitFor();
    await table.getByText('0 of 1').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await table.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Approval' }).waitFor();
    expect(page.url()).toContain(approvalId);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Runs' }).click();
    await page.getByText('Waiting for approval').first().waitFor();
  });

  test.each(modes)('the account ends an approval: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const { client, approvalId } = await ask(account, ['0x00000000000000000000000000000000000000AA']);
    await using dashboard = await openSignedIn(account, { path: '/approvals' });
    const { page, sign } = dashboard;
    await sign();
    const end = page.getByRole('button', { name: 'End the approval: Pay <b>alice</b> 1 ETH' });
    await end.click();
    await page.getByRole('dialog').getByRole('button', { name: 'End the approval' }).click();
    await page.getByText('Expired', { exact: true }).waitFor();
    expect(await end.count()).toBe(0);
    expect(await client.getApproval({ approvalId })).toMatchObject({ state: 'expired' });
  });
});
