import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';

async function quickstart(baseUrl: string): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'quickstart.ts')], {
    env: { BASE_URL: baseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}

test('every step succeeds on the real stack', async () => {
  const { code, output } = await quickstart(inject('stack').baseUrl);
  expect(output).not.toContain('✗');
  expect(output.trim().split('\n')).toHaveLength(12);
  expect(output).toContain('the key is unknown (401)');
  expect(code).toBe(0);
});

test('names a service that does not answer', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const { code, output } = await quickstart(`http://127.0.0.1:${port}/core/v1`);
  expect(output).toMatch(`✗ http://127.0.0.1:${port}/core/v1 does not answer`);
  expect(code).toBe(1);
});

test('ends at an unexpected reply with the expected and the found value', async () => {
  const server = createServer((_request, response) => response.writeHead(418).end('{"error":"teapot"}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, output } = await quickstart(`http://127.0.0.1:${port}`);
  server.close();
  expect(output).toMatch('✗ new_account answers\nexpected 200\nfound    418');
  expect(output).toContain('teapot');
  expect(code).toBe(1);
});
