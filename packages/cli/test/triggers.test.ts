/** Triggers, on the shared stack. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { addUsageKey, newAccount, stack } from '@latchkey/testing/stack';
import { expect, onTestFinished, test } from 'vitest';
import { inHome, newHome } from './latchkey.ts';

test('a webhook is created, tested, replayed, tunnelled to a local run, paused and deleted', {
  timeout: 600_000,
}, async () => {
  const home = await newHome();
  const latchkey = inHome(home);
  const { key } = await newAccount();
  await latchkey(['login'], { stdin: key });
  const usageKey = await addUsageKey(key, { execute_in_groups: [0] });
  await latchkey(['login', '--usage-key'], { stdin: usageKey });
  const action = join(home, 'hello.js');
  await writeFile(action, "const main = ({ name }) => 'hello ' + name");
  const definition = join(home, 'hook.json');
  const defaultParams = { name: 'tunnel', pkpId: 'of the trigger' };
  await writeFile(definition, JSON.stringify({ name: 'Greeter', kind: 'webhook', defaultParams }));

  const created = await latchkey(['triggers', 'create', definition, '--action', action, '--json']);
  expect(created).toMatchObject({ code: 0, stderr: '' });
  expect(created.stdout).not.toContain(usageKey);
  const { id, webhookUrl } = JSON.parse(created.stdout);
  expect((await latchkey(['triggers', 'list'])).stdout).toContain('Greeter');

  const tested = await latchkey(['triggers', 'test', id, '--param', 'name=you', '--json']);
  expect([tested.code, JSON.parse(tested.stdout)]).toMatchObject([
    0,
    { status: 'success', response: 'hello you' },
  ]);
  const replayed = await latchkey(['triggers', 'replay', JSON.parse(tested.stdout).id]);
  expect(replayed).toMatchObject({ code: 0, stdout: expect.stringContaining('"hello you"') });

  const local = join(home, 'local.ts');
  const code = "const main = ({ name, pkpId }) => 'local ' + name + pkpId.length";
  await writeFile(local, code);
  /** Saves the local file, and causes an event. */
  const next = async (text: string): Promise<void> => {
    await writeFile(local, text);
    await fetch(webhookUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
  };
  let isBroken: Promise<void> | undefined;
  let isMended: Promise<void> | undefined;
  const tunnel = await latchkey(['triggers', 'tunnel', id, local, '--once'], {
    onOutput: (text) => {
      if (text.includes('Waiting for events.')) isBroken ??= next('const main = (: number) => 1;');
      if (text.includes('local.ts:1:')) isMended ??= next(code);
    },
  });
  await Promise.all([isBroken, isMended]);
  expect(tunnel).toMatchObject({ code: 0, stderr: expect.stringContaining('event ') });
  // The wallet is that of the local account.
  expect(tunnel.stdout).toMatch(/local tunnel42/);
  const missing = await latchkey(['triggers', 'tunnel', id, join(home, 'missing.ts')]);
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('no such file') });

  expect((await latchkey(['triggers', 'runs', id, '--json'])).stdout).toContain(JSON.parse(tested.stdout).id);
  expect((await latchkey(['triggers', 'disable', id])).stdout).toMatch(/^enabled +no$/m);
  expect((await latchkey(['triggers', 'delete', id, '--yes'])).code).toBe(0);
  expect((await latchkey(['triggers', 'show', id])).code).toBe(1);
});

test('keys of a profile go to no other trigger service', { timeout: 300_000 }, async () => {
  let requests = 0;
  const other = createServer((_request, response) => {
    requests++;
    response.writeHead(500).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const home = await newHome();
  const latchkey = inHome(home);
  const definition = join(home, 'hook.json');
  await writeFile(
    definition,
    JSON.stringify({ name: 'Hook', kind: 'webhook', code: 'const main = () => 1' }),
  );
  const { key } = await newAccount();
  const usageKey = await addUsageKey(key);
  const refused = {
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`are not sent to the trigger service ${url}`),
  };
  const list = ['triggers', 'list'];
  const create = ['triggers', 'create', definition];

  // A login without a trigger service.
  const env = { LATCHKEY_TRIGGERS_URL: undefined };
  await latchkey(['login'], { stdin: key, env });
  await latchkey(['login', '--usage-key'], { stdin: usageKey, env });
  expect(await latchkey(list, { env: { LATCHKEY_TRIGGERS_URL: url } })).toMatchObject(refused);
  expect((await latchkey(list, { env: { LATCHKEY_ACCOUNT_KEY: key } })).code).toBe(0);

  // A login with one.
  await latchkey(['login', '--usage-key', '--triggers-url', stack.triggersUrl], { stdin: usageKey });
  expect((await latchkey(list)).code).toBe(0);
  expect(await latchkey([...list, '--triggers-url', url])).toMatchObject(refused);
  for (const variable of [{ LATCHKEY_TRIGGERS_TOKEN: 'token' }, { LATCHKEY_ACCOUNT_KEY: key }])
    expect(await latchkey([...create, '--triggers-url', url], { env: variable })).toMatchObject(refused);
  const changed = await latchkey(['login', '--usage-key', '--triggers-url', url], { stdin: usageKey });
  expect(changed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`the profile "default" is for ${stack.triggersUrl}`),
  });
  expect(requests).toBe(0);
});
