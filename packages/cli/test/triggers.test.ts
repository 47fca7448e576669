/** Triggers, on the shared stack. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addUsageKey, newAccount } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';
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
  await writeFile(definition, JSON.stringify({ name: 'Greeter', kind: 'webhook' }));

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

  await writeFile(action, "const main = ({ name, pkpId }) => 'local ' + name + pkpId.length");
  let isSent = false;
  const tunnel = await latchkey(['triggers', 'tunnel', id, action, '--once'], {
    onOutput: (text) => {
      if (isSent || !text.includes('Waiting for events.')) return;
      isSent = true;
      void fetch(webhookUrl, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'tunnel' }),
      });
    },
  });
  expect(tunnel).toMatchObject({ code: 0, stderr: expect.stringContaining('event ') });
  expect(tunnel.stdout).toMatch(/local /);

  expect((await latchkey(['triggers', 'runs', id, '--json'])).stdout).toContain(JSON.parse(tested.stdout).id);
  expect((await latchkey(['triggers', 'disable', id])).stdout).toMatch(/^enabled +no$/m);
  expect((await latchkey(['triggers', 'delete', id, '--yes'])).code).toBe(0);
  expect((await latchkey(['triggers', 'show', id])).code).toBe(1);
});
