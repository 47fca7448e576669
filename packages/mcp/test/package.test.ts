/** The package as users get it: packed, and installed in an empty folder. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pairAgent } from '@latchkey/testing/browser';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { findNode, installPacked } from '@latchkey/testing/installed';
import { addUsageKey, newAccount, stack } from '@latchkey/testing/stack';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';

const installed = disposeAfterAll(await installPacked(['mcp']));

const inPackage = (path: string) => join(installed.directory, 'node_modules/@latchkey/mcp', path);

test.each([20, 24])(
  'it serves on Node %i, and the skill and the page name all of its tools',
  { timeout: 600_000 },
  async (major) => {
    const { key } = await newAccount();
    const transport = new StdioClientTransport({
      command: await findNode(major),
      args: [inPackage('dist/main.js')],
      env: {
        HOME: installed.directory,
        LATCHKEY_URL: stack.url,
        LATCHKEY_USAGE_KEY: await addUsageKey(key, { execute_in_groups: [0] }),
        LATCHKEY_TRIGGERS_URL: stack.triggersUrl,
        LATCHKEY_TRIGGERS_TOKEN: await pairAgent(stack.triggersUrl, key),
      },
    });
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(transport);
    const { version } = JSON.parse(await readFile(inPackage('package.json'), 'utf8'));
    expect(client.getServerVersion()).toMatchObject({ name: 'latchkey', version });
    expect(client.getInstructions()?.length).toBeLessThan(1_000);
    const code = 'const main = ({ a, b }) => a + b';
    const ran = await client.callTool({ name: 'run_action', arguments: { code, params: { a: 2, b: 3 } } });
    expect(ran.structuredContent).toMatchObject({ status: 'success', response: 5 });

    const { tools } = await client.listTools();
    for (const { name, description, annotations, inputSchema } of tools) {
      expect([name, description]).toEqual([expect.stringMatching(/^[a-z_]+$/), expect.any(String)]);
      expect(inputSchema.additionalProperties).toBe(false);
      expect(annotations?.readOnlyHint).toBe(/^(?:list|get|explain)_/.test(name));
      if (!annotations?.readOnlyHint) expect(annotations?.destructiveHint).toBe(name !== 'create_trigger');
    }
    const page = await readFile(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8');
    for (const text of [page, await readFile(inPackage('skills/latchkey/SKILL.md'), 'utf8')]) {
      const named = [...text.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name);
      expect(tools.filter(({ name }) => !named.includes(name))).toEqual([]);
    }
    await client.close();
  },
);

test('the skill has the form of agent skills', async () => {
  const skill = await readFile(inPackage('skills/latchkey/SKILL.md'), 'utf8');
  const [, name, description = ''] = /^---\nname: (.*)\ndescription: (.*)\n---\n\n# /.exec(skill) ?? [];
  expect(name).toBe('latchkey');
  expect(description).toMatch(/^.{1,1024}$/);
  expect(skill.split('\n').length).toBeLessThan(500);
});
