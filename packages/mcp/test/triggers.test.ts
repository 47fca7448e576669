/** Pairing of an agent, and its triggers. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTriggersClient } from '@latchkey/sdk';
import { createBrowser, pairAgent } from '@latchkey/testing/browser';
import { addGroup, addUsageKey, hex, newAccount, stack } from '@latchkey/testing/stack';
import { until } from '@latchkey/testing/until';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { connect, program, type Session } from './session.ts';

const LATCHKEY_TRIGGERS_URL = stack.triggersUrl;

let accountKey: string;
let usageKey: string;
beforeAll(async () => {
  ({ key: accountKey } = await newAccount());
  const group = await addGroup(accountKey, { cid_hashes_permitted: [hex(0n)] });
  usageKey = await addUsageKey(accountKey, { execute_in_groups: [group] });
});

const ended = (session: Session, runId: unknown) =>
  until('the run ends', async () => {
    const run = await session.call('get_trigger_run', { runId });
    return run.finishedAt !== undefined && run;
  });

/** Runs `latchkey-mcp pair`, in which the owner decides in a browser. */
async function pair(env: Record<string, string>, decision: 'authorize' | 'deny') {
  // The stack of the tests has set a stricter umask than users have.
  const command = ['-c', 'umask 022; exec "$0" "$@"', process.execPath, await program(), 'pair'];
  const child = spawn('sh', command, { env: { ...env, LATCHKEY_TRIGGERS_URL } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  const url = await until('the page', async () => /^http.*$/m.exec(output)?.[0]);
  const browser = createBrowser(stack.triggersUrl);
  await browser.logIn(accountKey);
  const { page } = await browser.get(url.replace(stack.triggersUrl, ''));
  expect(page).toContain('latchkey-mcp on ');
  expect(page).toContain(/the code (\S+),/.exec(output)?.[1]);
  await browser.post(`/agent/${decision}`, { code: new URL(url).searchParams.get('code') ?? '' });
  return { exitCode: await exit, output };
}

/** Returns an environment with a folder of its own. */
async function newHome() {
  const home = await mkdtemp(join(tmpdir(), 'latchkey-mcp-pair-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return { HOME: home, XDG_CONFIG_HOME: join(home, 'config') };
}

test('an agent that its owner denies is not paired', async () => {
  const env = await newHome();
  const { exitCode, output } = await pair(env, 'deny');
  expect([exitCode, output]).toEqual([1, expect.stringContaining('denied')]);
  await expect(stat(env.XDG_CONFIG_HOME)).rejects.toThrow('ENOENT');
});

test('an agent is paired once its owner approves; the token is in a private file and is sent to its service only', async () => {
  const env = await newHome();
  const { exitCode, output } = await pair(env, 'authorize');
  const path = join(env.XDG_CONFIG_HOME, 'latchkey/agent.json');
  expect([exitCode, output]).toEqual([0, expect.stringContaining(`The token is in ${path}`)]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const { token } = JSON.parse(await readFile(path, 'utf8'));
  expect(output).not.toContain(token);

  await using session = await connect(env);
  const { tools } = await session.client.listTools();
  expect(tools.map(({ name }) => name).filter((name) => !name.includes('trigger'))).toEqual([]);
  expect(await session.call('list_triggers')).toEqual({ items: [] });
  expect(
    await session.fail('create_trigger', { name: 'x', kind: 'webhook', code: 'const main = () => 1' }),
  ).toContain('LATCHKEY_USAGE_KEY');
  expect(session.output()).not.toContain(token);
  await expect(connect({ ...env, LATCHKEY_TRIGGERS_URL: 'http://127.0.0.1:9' })).rejects.toThrow();
});

test('a trigger is created, tested, changed and listed with its runs', async () => {
  const token = await pairAgent(stack.triggersUrl, accountKey);
  await using session = await connect({
    LATCHKEY_TRIGGERS_URL,
    LATCHKEY_TRIGGERS_TOKEN: token,
    LATCHKEY_USAGE_KEY: usageKey,
  });
  const created = await session.call('create_trigger', {
    name: 'hook',
    kind: 'webhook',
    code: 'const main = ({ name }) => "hello " + name',
    defaultParams: { name: 'nobody' },
  });
  expect(created).toMatchObject({
    name: 'hook',
    enabled: true,
    warnings: [],
    webhookUrl: expect.any(String),
  });
  const { id: triggerId } = created;
  const { runId } = await session.call('test_trigger', { triggerId, input: { name: 'you' } });
  expect(await ended(session, runId)).toMatchObject({ triggerId, status: 'success', response: 'hello you' });
  const changed = await session.call('update_trigger', { triggerId, name: 'other', enabled: false });
  expect(changed).toMatchObject({ name: 'other', enabled: false, warnings: [] });
  const listed = await session.call('list_triggers', { pageSize: 1 });
  expect(listed).toMatchObject({ items: [{ id: triggerId, name: 'other', enabled: false }] });
  expect(await session.call('get_trigger', { triggerId })).toMatchObject({ code: created.code, config: {} });
  const runs = await session.call('list_trigger_runs', { triggerId, status: 'success' });
  expect(runs).toMatchObject({ items: [{ id: runId, triggerName: 'other' }] });
  const schedule = { name: 'tick', kind: 'schedule', code: 'const main = () => 1' };
  expect(await session.fail('create_trigger', { ...schedule, config: { cron: 'never' } })).toContain('cron');
  const tick = await session.call('create_trigger', { ...schedule, config: { cron: '0 9 * * *' } });
  expect(tick).toMatchObject({ nextRuns: expect.arrayContaining([expect.any(String)]) });
  expect(session.output()).not.toContain(token);
  expect(session.output()).not.toContain(usageKey);
});

test('new code of a trigger runs with the usage key of the server, not with the one that the trigger had', async () => {
  const token = await pairAgent(stack.triggersUrl, accountKey);
  const owner = createTriggersClient({ url: stack.triggersUrl, token });
  const code = 'const main = () => "mine"';
  const { id: triggerId } = await owner.createTrigger({ name: 'strong', kind: 'webhook', code, usageKey });
  const weakKey = await addUsageKey(accountKey);
  await using session = await connect({
    LATCHKEY_TRIGGERS_URL,
    LATCHKEY_TRIGGERS_TOKEN: token,
    LATCHKEY_USAGE_KEY: weakKey,
  });
  const changed = await session.call('update_trigger', { triggerId, code: 'const main = () => "theirs"' });
  expect(changed).toMatchObject({ warnings: [{ code: 'not_permitted' }] });
  const { runId } = await session.call('test_trigger', { triggerId });
  expect(await ended(session, runId)).toMatchObject({ status: 'failed', error: { name: 'forbidden' } });
});
