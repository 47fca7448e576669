/** The account itself. */
import { createClient, diffExport, usageKeyHash } from '@latchkey/sdk';
import { command, type Topic, write } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';
import { parseHash, readJsonObject } from '../parse.ts';
import { readProfiles, removeProfile, saveProfile } from '../profiles.ts';
import { fields, hex } from '../text.ts';

export const account: Topic = {
  summary: 'the account: open, show, copy, retire',
  commands: {
    new: command({
      summary:
        'opens an account and stores its key in the profile; with a wallet in the profile, the wallet owns it',
      options: {
        name: { value: 'text', required: true, help: 'name of the account' },
        description: { value: 'text', help: 'description of the account' },
      },
      examples: [
        'account new --name Greetings',
        'account new --name Greetings --profile second --url http://127.0.0.1:8000',
      ],
      run: async (session, { name, description = '' }) => {
        const { current, profiles } = await readProfiles();
        const profileName = session.profileName ?? current;
        const url = await session.url();
        if (profiles[profileName]?.wallet) {
          const opened = await (await session.client()).newAccount({ name, description });
          return {
            profile: profileName,
            accountHash: opened.accountHash,
            walletAddress: opened.walletAddress,
          };
        }
        if (profiles[profileName])
          throw new CommandError(
            `the profile "${profileName}" has an account`,
            'Name another one with --profile.',
          );
        const opened = await createClient({ url }).newAccount({ name, description });
        const { apiKey, accountHash, walletAddress } = opened;
        const triggersUrl = session.options.triggersUrl ?? process.env.LATCHKEY_TRIGGERS_URL;
        const services = { url, ...(triggersUrl !== undefined && { triggersUrl }) };
        const store = await saveProfile(profileName, services, { accountKey: apiKey });
        return { profile: profileName, store, accountHash, walletAddress };
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
        if (!show) throw new UsageError('the account key is printed only with --show');
        const { secrets } = await session.profile();
        if (secrets.accountKey === undefined) throw new CommandError('the profile has no account key');
        return { accountKey: secrets.accountKey };
      },
      show: ({ accountKey }) => accountKey,
    }),
    rotate: command({
      summary: 'replaces the account key; the new one is stored before the old one ends',
      options: { yes: { help: 'does not ask' } },
      examples: ['account rotate --yes'],
      run: async (session, { yes }) => {
        const client = await session.client();
        const { name, profile, secrets } = await session.profile();
        if (client.mode !== 'api' || !profile || secrets.accountKey === undefined)
          throw new CommandError(
            'only the account key of a profile can be rotated',
            'Run latchkey login first.',
          );
        const newApiKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64');
        const prepared = await client.prepare.rotateAccountKey({ newApiKey });
        if (!yes) await session.confirm(prepared.changes.join('\n'));
        const { store, secrets: _kept, ...services } = profile;
        // A lost reply then loses no account: the new key is in a profile of its own until the old one is replaced.
        await saveProfile(`${name}-rotated`, services, { ...secrets, accountKey: newApiKey }, store);
        const written = await prepared.send();
        await saveProfile(name, services, { ...secrets, accountKey: newApiKey }, store);
        await removeProfile(`${name}-rotated`);
        return { profile: name, blockNumber: written.blockNumber };
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
