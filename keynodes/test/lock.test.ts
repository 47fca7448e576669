/** Processes of key nodes on one data directory. */
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '@latchkey/bundle';
import { signCommand } from '@latchkey/key-protocol';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { end, start, temporaryDirectory } from '@latchkey/testing/processes';
import { freePort, until } from '@latchkey/testing/until';
import { beforeEach, expect, test } from 'vitest';
import { nodeSettings, operator, startConfigurationOnly } from './key-nodes.ts';

type Process = ReturnType<typeof start> & { url: string };

let directory: ReturnType<typeof temporaryDirectory>;
const running: Process[] = [];

async function spawn(path = directory.path): Promise<Process> {
  const port = await freePort();
  const settings = {
    ...nodeSettings(deployed, path),
    PORT: String(port),
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const started = { ...start(process.execPath, [program], settings), url: `http://127.0.0.1:${port}` };
  running.push(started);
  return started;
}

async function startNode(path?: string): Promise<Process> {
  const started = await spawn(path);
  await until(`${started.url} answers`, () =>
    fetch(`${started.url}/v1/dealing`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return started;
}

/** Starts a node that must not start; resolves to its output. */
async function refused(): Promise<string> {
  const { child, output } = await spawn();
  const [code] = await once(child, 'exit');
  expect(code).toBe(1);
  return output();
}

/** Lets a node store the keys of a new dealing; resolves to the status of its reply. */
async function storeIn({ url }: Process, nonce: string): Promise<number> {
  const { public_key: node, boot } = (await (await fetch(`${url}/v1/dealing`)).json()) as Record<
    string,
    string
  >;
  const command = signCommand(
    { node: node ?? '', boot: boot ?? '' },
    { do: 'join', nonce: nonce.repeat(32), replace: true },
    operator,
    Date.now(),
  );
  const reply = await fetch(`${url}/v1/dealing`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(command),
  });
  return reply.status;
}

const content = () => readFile(join(directory.path, 'node.json'), 'utf8');

const deployed = disposeAfterAll(await startConfigurationOnly());
const program = await bundle('keynodes/src/main.ts');
beforeEach(() => {
  directory = temporaryDirectory(tmpdir());
  return async () => {
    for (const { child } of running.splice(0)) await end(child, 'SIGKILL');
    directory[Symbol.dispose]();
  };
});

test('a second node on a directory does not start and names the first, also while that is paused, until it is killed', async () => {
  const { child } = await startNode();
  const before = await content();
  const reason = `process ${child.pid} on `;
  expect(await refused()).toContain(reason);
  child.kill('SIGSTOP');
  const output = await refused();
  expect(output).toContain(reason);
  expect(output).toContain(`uses the data directory ${directory.path}`);
  expect(await content()).toBe(before);
  await end(child, 'SIGKILL');
  expect(await storeIn(await startNode(), '01')).toBe(200);
});

test('a copy of the directory of a running node is free', async () => {
  await startNode();
  using other = temporaryDirectory(tmpdir());
  cpSync(directory.path, other.path, { recursive: true });
  const copied = await startNode(other.path);
  await end(copied.child, 'SIGKILL');
});

test('a paused node whose lock was deleted changes nothing after another one took over', async () => {
  const paused = await startNode();
  expect(await storeIn(paused, '01')).toBe(200);
  paused.child.kill('SIGSTOP');
  rmSync(join(directory.path, 'lock'));
  const node = await startNode();
  expect(await storeIn(node, '02')).toBe(200);
  const newer = await content();
  paused.child.kill('SIGCONT');
  expect(await storeIn(paused, '03')).toBe(500);
  expect(await content()).toBe(newer);
  await expect.poll(paused.output).toContain('another process has taken');
  expect(await storeIn(node, '04')).toBe(200);
});
