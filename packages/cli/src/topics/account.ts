/** The account itself. */
import { createClient, diffExport, usageKeyHash } from '@latchkey/sdk';
import { command, type Topic, write } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';
import * as options from '../options.ts';
import { parseHash, readJsonObject } from '../parse.ts';
import { changeSecrets, readProfiles, removeProfile, requireFree, saveProfile } from '../profiles.ts';
import { fields, hex } from '../text.ts';
import { servicesOf } from './login.ts';

export const account: Topic = {
  summary: 'the account: open, show, copy, retire',
  commands: {
    new: command({
      summary:
        'opens an account and stores its key in the profile; with a wallet in the profile, the wallet owns it',
      options: {
        name: { value: 'text', required: true, help: 'name of the account' },
        description: { value: 'text', help: 'description of the account' },
        store: options.store,
      },
      examples: [
        'account new --name Greetings',
        'account new --name Greetings --profile second --url http://127.0.0.1:8000',
      ],
      run: async (session, { name, description = '', store }) => {
        const { current, profiles } = await readProfiles();
        const profile = session.options.profile ?? current;
        if (profiles[profile]?.wallet) {
          const { accountHash, walletAddress } = await (await session.client()).newAccount({
            name,
            description,
          });
          return { profile, accountHash, walletAddress };
        }
        await requireFree(profile, store);
        const url = await session.url();
        const { apiKey, accountHash, walletAddress } = await createClient({ url }).newAccount({
          name,
          description,
        });
        const secrets = { accountKey: apiKey };
        const saved = await saveProfile(profile, servicesOf(session, url), secrets, store).catch(
          (error: Error) => {
            // The only way not to lose the account.
            throw new CommandError(
              `the account key could not be stored: ${error.message}`,
              `Keep it: ${apiKey}`,
            );
          },
        );
        return { profile, store: saved, accountHash, walletAddress };
      },
      show: ({ profile, accountHash, walletAddress }) =>
        `${fields({ profile, account: hex(accountHash), wallet: walletAddress })}\n\nThe account key cannot be recovered. Keep a copy: latchkey account key --show`,
    }),
    show: command({
      summary: 'shows the account of the profile and its credit',
      examples: ['account show', 'account show --json'],
      run: async (session) => {
        const client = await session.client();
        const { secrets, profile, name } = await session.profile();
        const key = secrets.accountKey;
        const exists = await client.accountExists();
        const balance = exists || client.mode === 'api' ? await client.getBalance() : undefined;
        return {
          profile: name,
          url: client.url,
          mode: client.mode,
          exists,
          accountHash: key === undefined ? undefined : usageKeyHash(key),
          wallet: profile?.wallet?.address,
          balance,
        };
      },
      show: ({ accountHash, balance, ...rest }) =>
        fields({ ...rest, account: accountHash && hex(accountHash), credit: balance?.balanceDisplay }),
    }),
    key: command({
      summary: 'prints the account key of the profile, to keep a copy',
      options: { show: { help: 'prints it: everyone who sees it has the account' } },
      examples: ['account key --show > account-key.txt'],
      run: async (session, { show }) => {
        if (!show) throw new UsageError('the account key is printed only with --show', 'Add --show.');
        const { secrets } = await session.profile();
        if (secrets.accountKey === undefined)
          throw new CommandError('the profile has no account key', 'Run latchkey login.');
        return { accountKey: secrets.accountKey };
      },
      show: ({ accountKey }) => accountKey,
    }),
    rotate: command({
      summary: 'replaces the account key; the new one is stored before the old one ends',
      options: { yes: options.yes },
      examples: ['account rotate --yes'],
      run: async (session, { yes }) => {
        const client = await session.client();
        const { name, profile, secrets } = await session.profile();
        const isStored = profile && process.env.LATCHKEY_ACCOUNT_KEY === undefined;
        if (client.mode !== 'api' || !isStored || secrets.accountKey === undefined)
          throw new CommandError(
            'only the account key of a profile can be rotated',
            'Run latchkey login first.',
          );
        // A lost reply then loses no account: the new key has a profile of its own until it is in this one.
        const next = `${name}-rotated`;
        await requireFree(next, profile.store);
        const newApiKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64');
        const prepared = await client.prepare.rotateAccountKey({ newApiKey });
        if (!yes) await session.confirm(prepared.changes.join('\n'));
        await saveProfile(next, servicesOf(session, client.url), { accountKey: newApiKey }, profile.store);
        const { blockNumber } = await prepared.send().catch((error) => {
          session.tell(`The new key is in the profile ${next}, for the case that the rotation took effect.`);
          throw error;
        });
        await changeSecrets(name, { accountKey: newApiKey });
        await removeProfile(next);
        return { profile: name, blockNumber };
      },
      show: ({ profile }) =>
        `the profile ${profile} has the new account key. Keep a copy: latchkey account key --show`,
    }),
    export: command({
      summary: 'prints everything that the account has as JSON, without keys',
      examples: ['account export > account.json'],
      run: async (session) => (await session.client()).exportAccount(),
      show: (value) => JSON.stringify(value, null, 2),
    }),
    diff: command({
      summary: 'prints the steps from the account to an export, and writes nothing',
      arguments: { file: { required: true, help: 'file of latchkey account export' } },
      examples: ['account diff account.json'],
      run: async (session, { file }) => {
        const wanted = await readJsonObject(file);
        return diffExport(await (await session.client()).exportAccount(), wanted as never);
      },
      show: (steps) => (steps.length === 0 ? 'no difference' : steps.map(({ text }) => text).join('\n')),
    }),
    retire: write({
      summary: 'ends the account permanently',
      arguments: {
        accountHash: { required: true, parse: parseHash, help: 'hash of the account, as a confirmation' },
      },
      examples: ['account retire 0x… --dry-run'],
      asks: true,
      prepare: (client, { accountHash }) => client.prepare.retireAccount({ accountHash }),
      show: () => 'the account is retired',
    }),
  },
};
