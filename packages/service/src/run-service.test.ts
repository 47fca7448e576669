import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Runs a service in a process. `start` is JavaScript. */
function run(start: string) {
  const file = JSON.stringify(join(import.meta.dirname, 'run-service.ts'));
  const settings = JSON.stringify(join(import.meta.dirname, 'settings.ts'));
  const program = `import { runService } from ${file}; import { ConfigError } from ${settings}; await runService('test', async () => { ${start} });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  return { child, exited: once(child, 'exit'), output: () => output };
}

/** Runs a service that prints "ready". Returns its exit code after SIGTERM. */
async function terminate(start: string): Promise<{ code: number | null; output: string }> {
  const { child, exited, output } = run(start);
  await expect.poll(output).toContain('ready');
  child.kill('SIGTERM');
  const [code] = await exited;
  return { code, output: output() };
}

test('a signal during the start ends the process by its handler', async () => {
  const { code } = await terminate(
    `console.log('ready'); await new Promise((end) => setTimeout(end, 600_000));`,
  );
  expect(code).toBe(1);
});

test('a signal after the start closes the service', async () => {
  const closed = `async [Symbol.asyncDispose]() { console.log('closed'); }`;
  const { code, output } = await terminate(
    `setInterval(() => {}, 1_000); setTimeout(() => console.log('ready'), 100); return { ${closed} };`,
  );
  expect(code).toBe(0);
  expect(output).toContain('closed');
});

test.each([
  ['settings', `throw new ConfigError('PORT: missing\\nHOST: malformed');`, 'invalid settings'],
  [
    'start',
    `throw new Error('postgres://user:hidden@db refused');`,
    'the service failed to start or to stop',
  ],
])('a failure of the %s is one line of JSON without secrets', async (_what, start, msg) => {
  const { exited, output } = run(start);
  expect((await exited)[0]).toBe(1);
  const line = JSON.parse(output()) as { settings?: string[]; err?: { message: string } };
  expect(line).toMatchObject({ level: 60, name: 'test', msg });
  expect(line.settings ?? [line.err?.message]).toEqual(
    line.settings ? ['PORT: missing', 'HOST: malformed'] : ['postgres://db refused'],
  );
});
