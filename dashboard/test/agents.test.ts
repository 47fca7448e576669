import { createHash, randomBytes } from 'node:crypto';
import { hasChromium } from '@latchkey/testing/chromium';
import { stack } from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { describe, expect, test } from 'vitest';
import { newAccountIn, openSignedIn } from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

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

type Agent = Awaited<ReturnType<typeof startAgent>>;

describe.runIf(hasChromium)('agents', () => {
  useChromium();

  test.each([
    ['api', { width: 375, height: 700 }],
    ['chainSecured', { colorScheme: 'dark' }],
  ] as const)('one is denied, another one is approved, used and revoked: %s', async (mode, options) => {
    const account = await newAccountIn(mode);
    await using dashboard = await openSignedIn(account, { path: '/agents', ...options });
    const { page, reopen, sign } = dashboard;
    await sign('Log in with the wallet');
    await page.getByText('No agents yet').waitFor();
    await expectAccessible(page);
    const review = async (agent: Agent): Promise<void> => {
      await page.getByRole('button', { name: 'Approve an agent' }).first().click();
      await page.getByLabel(/^Link that your agent shows/).fill(agent.url);
      await page.getByRole('button', { name: 'Review the agent' }).click();
      await page.getByText(agent.userCode).waitFor();
    };
    const denied = await startAgent();
    await review(denied);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('The agent was denied.').waitFor();
    expect(await denied.complete()).toMatchObject({ error: 'not_found' });

    const agent = await startAgent();
    await review(agent);
    await page.getByText('127.0.0.1').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('The agent was approved.').waitFor();
    expect(await agent.complete()).toMatchObject({ status: 'authorized' });
    expect((await agent.me()).status).toBe(200);

    await reopen();
    await sign('Log in with the wallet');
    await page.getByRole('cell', { name: 'laptop' }).waitFor();
    await expectFits(page);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke the agent' }).click();
    await page.getByText('No agents yet').waitFor();
    expect((await agent.me()).status).toBe(401);

    // Signing out ends the login to the trigger service too.
    const ended = page.waitForRequest(`${stack.triggersUrl}/api/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    const authorization = await (await ended).headerValue('authorization');
    await until('the login has ended', async () => {
      const reply = await fetch(`${stack.triggersUrl}/api/agents`, {
        headers: { authorization: `${authorization}` },
      });
      return reply.status === 401;
    });
    if (account.mode === 'chainSecured')
      expect(account.wallet.asked).toEqual(['personal_sign', 'personal_sign']);
  });
});
