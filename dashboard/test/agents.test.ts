import { createHash, randomBytes } from 'node:crypto';
import { newAccount, stack } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import { expectAccessible, expectFits, hasChromium, openDashboard, signIn, useChromium } from './browser.ts';

async function startAgent() {
  const token = randomBytes(32).toString('hex');
  const send = async (path: string, body?: object) =>
    fetch(stack.triggersUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
  const token_hash = createHash('sha256').update(token).digest('base64url');
  const asked = await (await send('/agent/pair', { token_hash, label: 'laptop' })).json();
  const { authorize_url: url, user_code: userCode } = asked as { authorize_url: string; user_code: string };
  const code = new URL(url).searchParams.get('code');
  return {
    url,
    userCode,
    complete: async () =>
      (await send('/agent/pair/complete', { code })).json() as Promise<{ status: string }>,
    me: () => send('/api/me'),
  };
}

describe.runIf(hasChromium)('agents', () => {
  useChromium();

  test('an agent is reviewed, approved, used and revoked, on a phone', async () => {
    const { key } = await newAccount();
    const agent = await startAgent();
    await using dashboard = await openDashboard({ path: '/agents', width: 375, height: 700 });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    await page.getByText('No agents yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Approve an agent' }).first().click();
    await page.getByLabel(/^Link that your agent shows/).fill(agent.url);
    await page.getByRole('button', { name: 'Review the agent' }).click();
    await page.getByText(agent.userCode).waitFor();
    await page.getByText('127.0.0.1').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('The agent was approved.').waitFor();
    expect(await agent.complete()).toMatchObject({ status: 'authorized' });
    expect((await agent.me()).status).toBe(200);

    await page.reload();
    await signIn(page, key);
    await page.getByRole('cell', { name: 'laptop' }).waitFor();
    await expectFits(page);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke the agent' }).click();
    await page.getByText('No agents yet').waitFor();
    expect((await agent.me()).status).toBe(401);
  });

  test('an agent is denied', async () => {
    const { key } = await newAccount();
    const agent = await startAgent();
    await using dashboard = await openDashboard({ path: '/agents', colorScheme: 'dark' });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    await page.getByRole('button', { name: 'Approve an agent' }).first().click();
    await page.getByLabel(/^Link that your agent shows/).fill(agent.url);
    await page.getByRole('button', { name: 'Review the agent' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('The agent was denied.').waitFor();
    expect(await agent.complete()).toMatchObject({ error: 'not_found' });

    // Signing out ends the login to the trigger service too.
    const ended = page.waitForResponse((reply) => reply.url() === `${stack.triggersUrl}/api/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect((await ended).status()).toBe(200);
  });
});
