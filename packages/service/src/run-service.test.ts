import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Runs a service in a process. `start` is JavaScript that prints "ready". Returns its exit code after SIGTERM. */
async function terminate(start: string): Promise<{ code: number | null; output: string }> {
  const file = JSON.stringify(join(import.meta.dirname, 'run-service.ts'));
  const program = `import { runService } from ${file}; await runService(async () => { ${start} });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const exited = once(child, 'exit');
  await expect.poll(() => output).toContain('ready');
  child.kill('SIGTERM');
  const [code] = await exited;
  return { code, output };
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
