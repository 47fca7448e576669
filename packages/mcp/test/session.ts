/** Runs the server as a child process, with the official client. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '@latchkey/bundle';
import { stack } from '@latchkey/testing/stack';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'vitest';

/** Longer than a busy machine needs for a run. */
const TIMEOUT_MS = 300_000;

export const program = () => bundle('packages/mcp/src/main.ts');

export type Session = AsyncDisposable & {
  client: Client;
  /** Calls a tool. Resolves to its structured result, and fails when it is an error. */
  call: (name: string, input?: object, options?: RequestOptions) => Promise<Record<string, unknown>>;
  /** Calls a tool. Resolves to the text of its error, and fails when it is none. */
  fail: (name: string, input?: object) => Promise<string>;
  /** All that the server has written: its messages and its log. */
  output: () => string;
};

/** Starts the server with the environment, in a home of its own. */
export async function connect(env: Record<string, string>): Promise<Session> {
  const home = await mkdtemp(join(tmpdir(), 'latchkey-mcp-'));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [await program()],
    env: { HOME: home, XDG_CONFIG_HOME: home, LATCHKEY_URL: stack.url, ...env },
    stderr: 'pipe',
  });
  let output = '';
  transport.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  transport.onmessage = (message) => {
    output += JSON.stringify(message);
  };
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  const callTool = async (name: string, input: object, options?: RequestOptions): Promise<CallToolResult> => {
    const request = { name, arguments: { ...input } };
    return (await client.callTool(request, undefined, { timeout: TIMEOUT_MS, ...options })) as CallToolResult;
  };
  const textOf = ({ content }: CallToolResult): string =>
    content.map((part) => 'text' in part && part.text).join();
  return {
    client,
    async call(name, input = {}, options = {}) {
      const result = await callTool(name, input, options);
      expect(result.isError ?? false, textOf(result)).toBe(false);
      expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
      return result.structuredContent as Record<string, unknown>;
    },
    async fail(name, input = {}) {
      const result = await callTool(name, input);
      expect(result.isError, textOf(result)).toBe(true);
      return textOf(result);
    },
    output: () => output,
    async [Symbol.asyncDispose]() {
      await client.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
