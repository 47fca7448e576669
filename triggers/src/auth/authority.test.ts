import { apiKeyFromBytes, apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { startChain } from '@latchkey/testing/chain';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { eq } from 'drizzle-orm';
import { numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, describe, expect, test } from 'vitest';
import { accountKey, type Browser, startAgent, startWithAccounts } from '../../test/browsers.ts';
import { addTrigger, readRun } from '../../test/fixtures.ts';
import { agentTokens, pairings, runs, sessions, triggers, users } from '../db/schema.ts';
import { hashToken } from './secrets.ts';

const [first, second] = [
  privateKeyToAccount(`0x${'11'.repeat(32)}`),
  privateKeyToAccount(`0x${'22'.repeat(32)}`),
];
const word = (hash: bigint) => numberToHex(hash, { size: 32 });
const account = word(apiKeyHash(accountKey));
const identities = [first, second].map(({ address }) => word(walletIdentity(address)));

const chain = disposeAfterAll(await startChain());
const service = disposeAfterAll(await startWithAccounts({ SERVICE_RPC_URL: chain.url }));
afterEach(() => {
  service.relayer.admins.clear();
  service.relayer.unaccepted.clear();
  service.relayer.isDown = false;
});

/** Makes this wallet the admin of the account. Both wallet identities resolve to it. */
const setAdmin = (wallet: typeof first) => {
  for (const hash of [account, ...identities])
    service.relayer.admins.set(hash, { account, admin_wallet_address: wallet.address, managed: false });
};
async function logInWith(wallet: typeof first): Promise<{ browser: Browser; status: number }> {
  const browser = service.browser();
  const { status } = await browser.logInWith(wallet);
  return { browser, status };
}
async function logIn(wallet?: typeof first): Promise<Browser> {
  if (wallet) {
    const { browser, status } = await logInWith(wallet);
    expect(status).toBe(303);
    return browser;
  }
  const browser = service.browser();
  expect((await browser.logIn()).status).toBe(303);
  return browser;
}
async function approveAgent(browser: Browser) {
  const agent = await startAgent(service);
  const approved = await browser.post('/agent/authorize', { code: agent.code });
  expect(approved.status).toBe(200);
  return agent;
}
const me = (browser: Browser) => browser.get('/api/me', { accept: 'application/json' });

describe('sessions, tokens and approved pairings are deleted', () => {
  test.each([
    ['when an account is converted', undefined, () => setAdmin(first)],
    ['when a wallet transfers its account', first, () => setAdmin(second)],
  ] as const)('%s', async (_what, wallet, change) => {
    if (wallet) setAdmin(wallet);
    const browser = await logIn(wallet);
    const cookie = browser.cookies.get('session') ?? '';
    const agent = await approveAgent(browser);
    expect((await agent.complete()).status).toBe(200);
    const waiting = await approveAgent(browser);
    expect((await agent.me()).status).toBe(200);

    change();
    expect((await agent.me()).status).toBe(401);
    expect((await me(browser)).status).toBe(401);
    expect((await browser.get('/agent/authorize')).headers.get('location')).toBe('/login');
    expect((await waiting.complete()).status).toBe(404);
    const stored = [
      await service.db
        .select()
        .from(sessions)
        .where(eq(sessions.tokenHash, hashToken(cookie))),
      await service.db
        .select()
        .from(agentTokens)
        .where(eq(agentTokens.tokenHash, hashToken(agent.token))),
      await service.db
        .select()
        .from(pairings)
        .where(eq(pairings.codeHash, hashToken(waiting.code))),
    ];
    expect(stored).toEqual([[], [], []]);
  });

  test('when the account key is rotated, and the new key logs in', async () => {
    const browser = await logIn();
    const agent = await approveAgent(browser);
    expect((await agent.complete()).status).toBe(200);
    const newKey = apiKeyFromBytes(Buffer.alloc(32, 3));
    service.relayer.accountKeys.delete(accountKey);
    service.relayer.accountKeys.add(newKey);
    const rotated = { account, admin_wallet_address: first.address, managed: true };
    service.relayer.admins.set(word(apiKeyHash(newKey)), rotated);
    try {
      expect((await agent.me()).status).toBe(401);
      expect((await me(browser)).status).toBe(401);
      const next = service.browser();
      expect((await next.logIn(newKey)).status).toBe(303);
      expect(await (await me(next)).json()).toMatchObject({ account });
      const paired = await approveAgent(next);
      expect((await paired.complete()).status).toBe(200);
      expect((await paired.me()).status).toBe(200);
    } finally {
      service.relayer.accountKeys.delete(newKey);
      service.relayer.accountKeys.add(accountKey);
    }
  });

  test('when a former admin opens an account of its own', async () => {
    setAdmin(first);
    const browser = await logIn(first);
    const own = { account: identities[0] ?? '', admin_wallet_address: first.address, managed: false };
    service.relayer.admins.set(identities[0] ?? '', own);
    service.relayer.admins.delete(account);
    expect((await me(browser)).status).toBe(401);
  });

  test('when a wallet without an account becomes the admin of one', async () => {
    const browser = await logIn(second);
    expect(await (await me(browser)).json()).toMatchObject({ account: identities[1] });
    setAdmin(second);
    expect((await me(browser)).status).toBe(401);
  });
});

test('a former token changes and runs nothing, and the triggers stay with the account', async () => {
  const browser = await logIn();
  const agent = await approveAgent(browser);
  await agent.complete();
  const [user] = await service.db.select().from(users).where(eq(users.account, account));
  const trigger = await addTrigger(service.db, user?.id ?? '');
  setAdmin(first);
  expect((await agent.me()).status).toBe(401);
  const path = `/api/triggers/${trigger.id}`;
  const body = { action_code: 'function main() { return "theirs" }' };
  expect((await service.ask('PATCH', path, agent.token, body)).status).toBe(401);
  expect((await service.ask('POST', `${path}/test`, agent.token, {})).status).toBe(401);
  const [stored] = await service.db.select().from(triggers).where(eq(triggers.id, trigger.id));
  expect(stored).toEqual(trigger);
  expect(await service.db.select().from(runs).where(eq(runs.triggerId, trigger.id))).toEqual([]);

  // The trigger keeps running for the account.
  const reply = await service.post(`/webhook/${trigger.id}`, {});
  expect(reply.status).toBe(202);
  const { run_id } = (await reply.json()) as { run_id: string };
  expect((await readRun(service.db, run_id)).triggerId).toBe(trigger.id);
  const admin = await logIn(first);
  expect(await (await me(admin)).json()).toMatchObject({ account });
  const listed = await admin.get('/api/triggers', { accept: 'application/json' });
  expect(await listed.json()).toMatchObject({ triggers: [{ id: trigger.id }] });
});

describe('an account that was transferred to a wallet and not accepted', () => {
  const waits = () => {
    for (const hash of [account, ...identities]) service.relayer.unaccepted.add(hash);
  };

  test('opens no session: 403 with the text of the relayer', async () => {
    waits();
    const { browser, status } = await logInWith(second);
    expect(status).toBe(403);
    expect(browser.cookies.has('session')).toBe(false);
    expect((await service.browser().logIn()).status).toBe(403);
  });

  test('ends the sessions of the wallet that transferred it', async () => {
    setAdmin(first);
    const browser = await logIn(first);
    waits();
    expect((await me(browser)).status).toBe(401);
  });

  test('ends no session of a wallet without an account, so that a stranger cannot log it out', async () => {
    const browser = await logIn(second);
    waits();
    expect(await (await me(browser)).json()).toMatchObject({ account: identities[1] });
  });
});

describe('login is refused', () => {
  test('with the account key of a converted account', async () => {
    setAdmin(first);
    const browser = service.browser();
    const refused = await browser.logIn();
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain('its account key can no longer log in');
    expect(browser.cookies.has('session')).toBe(false);
  });

  test('with the wallet of a former admin, and with the admin wallet of a managed account', async () => {
    setAdmin(second);
    expect((await logInWith(first)).status).toBe(401);
    const managed = { account, admin_wallet_address: first.address, managed: true };
    service.relayer.admins.set(identities[0] ?? '', managed);
    expect((await logInWith(first)).status).toBe(401);
  });
});

test('returns 503 while the relayer does not answer, and keeps sessions and tokens', async () => {
  const browser = await logIn();
  const agent = await approveAgent(browser);
  const body = { name: 'x', kind: 'webhook', action_code: 'code', usage_api_key: accountKey };
  service.relayer.isDown = true;
  expect((await me(browser)).status).toBe(503);
  expect((await agent.complete()).status).toBe(503);
  expect((await browser.get('/login')).status).toBe(503);
  expect((await browser.post('/api/triggers', body as never)).status).toBe(503);
  service.relayer.isDown = false;
  expect((await agent.complete()).status).toBe(200);
  expect((await agent.me()).status).toBe(200);
  expect((await me(browser)).status).toBe(200);
});
