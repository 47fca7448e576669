/** A new project: an action, its test, and types. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { type Command, command } from '../command.ts';
import { UsageError } from '../errors.ts';

const files: Record<string, string> = {
  'package.json': `${JSON.stringify(
    {
      private: true,
      type: 'module',
      scripts: { test: 'latchkey actions test actions' },
      devDependencies: { '@latchkey/action': manifest.version, '@latchkey/cli': manifest.version },
    },
    null,
    2,
  )}\n`,
  'tsconfig.json': `${JSON.stringify(
    { extends: '@latchkey/action/tsconfig.json', include: ['actions'] },
    null,
    2,
  )}\n`,
  '.gitignore': 'node_modules\n',
  'actions/sign.ts': `type Params = { pkpId: string; name: string };

/** Signs a greeting with a wallet. */
export async function main({ pkpId, name }: Params): Promise<{ message: string; signature: string }> {
  const message = \`hello \${name}\`;
  console.log('signing', message);
  return { message, signature: await Svc.Actions.signMessage({ pkpId, message }) };
}
`,
  'actions/sign.test.js': `import assert from 'node:assert/strict';

/** Each case runs the action with a new wallet, pkpId. A check that throws fails the case. */
export default [
  {
    name: 'signs a greeting',
    params: { name: 'you' },
    check({ response, logs }) {
      assert.equal(response.message, 'hello you');
      assert.match(response.signature, /^0x[0-9a-f]{130}$/);
      assert.match(logs, /signing hello you/);
    },
  },
];
`,
};

export const init: Command = command({
  summary: 'writes a project: an action, its test, and types',
  arguments: { folder: { help: 'default: this folder' } },
  examples: ['init greetings', 'init greetings && cd greetings && npm install && npx latchkey actions test'],
  run: async (_session, { folder = '.' }) => {
    const taken = Object.keys(files).find((name) => existsSync(join(folder, name)));
    if (taken !== undefined)
      throw new UsageError(`${join(folder, taken)} exists`, 'Name another folder: nothing was written.');
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: 'wx' });
    }
    return { folder, files: Object.keys(files) };
  },
  show: ({ folder, files: written }) =>
    `${written.map((name) => `wrote ${join(folder, name)}`).join('\n')}\n\nNext, with the local stack: npm install && npx latchkey actions test`,
});
