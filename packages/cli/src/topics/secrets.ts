/** Secrets, which this command encrypts before they leave the machine. */
import { readFile } from 'node:fs/promises';
import { command, type Topic } from '../command.ts';
import { UsageError } from '../errors.ts';
import * as options from '../options.ts';
import { parseCount, parsePublicKey } from '../parse.ts';
import { readSecret } from '../prompt.ts';
import { fields, hex, table } from '../text.ts';

const name = { required: true, help: 'name of the secret' } as const;
const version = { value: 'number', parse: parseCount, help: 'only this version' } as const;

export const secrets: Topic = {
  summary: 'secrets, which only permitted runs can read',
  commands: {
    list: command({
      summary: 'lists the versions of all secrets, without values',
      examples: ['secrets list'],
      run: async (session) => (await session.client()).listSecrets(),
      show: (items) =>
        table(items, {
          NAME: (item) => item.name,
          VERSION: (item) => item.version,
          WALLET: ({ walletAddress }) => walletAddress,
          SET: ({ setAt }) => setAt,
          'LAST READ': ({ lastReadAt }) => lastReadAt,
        }),
    }),
    set: command({
      summary:
        'encrypts a value to a wallet and stores it: from the prompt, stdin, a file or LATCHKEY_SECRET_VALUE',
      arguments: { name },
      options: {
        publicKey: {
          value: 'hex',
          required: true,
          parse: parsePublicKey,
          help: 'public key of the wallet, as wallets add prints it',
        },
        file: { value: 'path', help: 'file with the value, of which every byte counts' },
      },
      examples: [
        'secrets set API_TOKEN --public-key 0x04…',
        'secrets set API_TOKEN --public-key 0x04… < token.txt',
      ],
      run: async (session, { name, publicKey, file }) => {
        const value =
          file === undefined ? await readSecret('value', 'LATCHKEY_SECRET_VALUE') : await readValue(file);
        const written = await (await session.client()).setSecret({ name, value, walletPublicKey: publicKey });
        return { name, ...written };
      },
      show: ({ name, version, walletAddress }) => fields({ secret: name, version, wallet: walletAddress }),
    }),
    delete: command({
      summary: 'deletes a secret: all versions, or one',
      arguments: { name },
      options: { version, yes: options.yes },
      examples: ['secrets delete API_TOKEN --yes'],
      run: async (session, { name, version, yes }) => {
        const what = version === undefined ? 'all versions' : `the version ${version}`;
        if (!yes) await session.confirm(`Deletes ${what} of the secret ${name}.`);
        await (await session.client()).deleteSecret({ name, version });
        return { name, version };
      },
      show: ({ name }) => `deleted ${name}`,
    }),
    events: command({
      summary: 'lists who set, read and deleted a secret, the newest first',
      arguments: { name },
      options: {
        pageSize: options.pages.pageSize,
        before: { value: 'id', parse: parseCount, help: 'events before this one' },
      },
      examples: ['secrets events API_TOKEN'],
      run: async (session, input) => (await session.client()).listSecretEvents(input),
      show: (items) =>
        table(items, {
          EVENT: ({ id }) => id,
          AT: ({ at }) => at,
          WHAT: ({ event }) => event,
          VERSION: (item) => item.version,
          CALLER: ({ caller }) => hex(caller),
          RUN: ({ runId }) => runId,
        }),
    }),
  },
};

async function readValue(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch {
    throw new UsageError(`${path}: no readable file with UTF-8 text`);
  }
}
