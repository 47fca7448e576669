/** Usage keys. */
import { type ApiClient, usageKeyHash } from '@latchkey/sdk';
import { command, showPage, type Topic, write } from '../command.ts';
import { CommandError } from '../errors.ts';
import * as options from '../options.ts';
import { oneOf, parseCount, parseExpiration, parseGroup, parseHash } from '../parse.ts';
import { changeSecrets } from '../profiles.ts';
import type { Session } from '../session.ts';
import { fields, hex, table } from '../text.ts';

const key = { required: true, parse: parseHash, help: 'hash of the usage key' } as const;
const groups = (help: string) =>
  ({ value: 'group', many: true, parse: parseGroup, help: `${help}; 0: every group; repeatable` }) as const;
const parseSwitch = oneOf('on', 'off');
const cap = (help: string) => ({ value: 'number', parse: parseCount, help }) as const;

const permissions = {
  executeIn: groups('group whose actions the key can run'),
  manageActionsIn: groups('group whose actions the key can change'),
  addWalletsTo: groups('group to which the key can add wallets'),
  removeWalletsFrom: groups('group from which the key can remove wallets'),
  createGroups: { help: 'the key can create groups' },
  deleteGroups: { help: 'the key can delete groups' },
  createWallets: { help: 'the key can create wallets' },
  expires: { value: 'time', parse: parseExpiration, help: 'time from which the key is refused, or never' },
  spendCapCents: cap('most cents that the key can spend, per window or in total'),
  spendWindowSeconds: cap('length of a window of spending'),
  maxRunsPerMinute: cap('most runs in any 60 seconds'),
  maxConcurrency: cap('most concurrent runs'),
  maxRunSeconds: cap('longest run'),
} as const;

/** Throws when a new key cannot go into the profile, before it is made. */
async function requireOwnProfile(session: Session): Promise<void> {
  const { profile } = await session.profile();
  if (!profile || process.env.LATCHKEY_ACCOUNT_KEY !== undefined)
    throw new CommandError(
      'there is no profile of this account to save the key in',
      'Run latchkey login first.',
    );
}

/** Keeps a new key in the profile. Returns false when it cannot be stored. */
async function keep(session: Session, usageKey: string): Promise<boolean> {
  try {
    await changeSecrets((await session.profile()).name, { usageKey });
    return true;
  } catch (error) {
    session.tell(`The key is not in the profile: ${(error as Error).message}`);
    return false;
  }
}

export const keys: Topic = {
  summary: 'usage keys, which run actions',
  commands: {
    list: command({
      summary: 'lists the usage keys by their hashes',
      options: options.pages,
      examples: ['keys list'],
      run: async (session, input) => ((await session.client()) as ApiClient).listApiKeys(input),
      show: (page) =>
        showPage(page, (items) =>
          table(items, {
            KEY: ({ usageKeyHash }) => hex(usageKeyHash),
            NAME: ({ name }) => name,
            'EXECUTES IN': ({ executeInGroups }) => executeInGroups.join(', '),
            EXPIRES: ({ expiration }) =>
              expiration === 0n
                ? 'never'
                : expiration < 1n << 40n
                  ? new Date(Number(expiration) * 1_000)
                  : expiration,
          }),
        ),
    }),
    add: write({
      summary:
        'creates a usage key and prints it once; with --save it goes into the profile and is not printed',
      arguments: { name: { help: 'name of the key' } },
      options: {
        description: options.description,
        ...permissions,
        save: { help: 'keeps the key in the profile, where it runs actions' },
      },
      examples: [
        'keys add Runner --execute-in 1 --save',
        'keys add Runner --execute-in 1 --spend-cap-cents 100 --json',
      ],
      prepare: async (client, input, session) => {
        if (input.save) await requireOwnProfile(session);
        const { executeIn, manageActionsIn, addWalletsTo, removeWalletsFrom, expires, ...rest } = input;
        // The SDK refuses caps in ChainSecured mode.
        return (client as ApiClient).prepare.addUsageApiKey({
          ...rest,
          executeInGroups: executeIn,
          manageIpfsIdsInGroups: manageActionsIn,
          addPkpToGroups: addWalletsTo,
          removePkpFromGroups: removeWalletsFrom,
          canCreateGroups: rest.createGroups,
          canDeleteGroups: rest.deleteGroups,
          canCreatePkps: rest.createWallets,
          expiration: expires,
        });
      },
      after: async (session, { usageKey, ...written }, { save }) => {
        const isKept = save && (await keep(session, usageKey));
        return { ...(!isKept && { usageKey }), usageKeyHash: usageKeyHash(usageKey), ...written };
      },
      show: ({ usageKey, usageKeyHash: hash }) =>
        fields({ 'usage key': usageKey ?? 'in the profile', hash: hex(hash) }),
    }),
    expire: write({
      summary: 'changes when a usage key expires',
      arguments: { key, time: { required: true, parse: parseExpiration, help: 'time, or never' } },
      examples: ['keys expire 0x… 2027-01-31T12:00:00Z', 'keys expire 0x… never'],
      prepare: (client, { key, time }) =>
        client.prepare.setUsageApiKeyExpiration({ usageKey: key, expiration: time }),
      show: () => 'the expiration is changed',
    }),
    rename: write({
      summary: 'replaces the labels of a usage key',
      arguments: { key, name: { required: true, help: 'new name' } },
      options: { description: options.description },
      examples: ['keys rename 0x… Runner'],
      prepare: (client, { key, name, description = '' }) =>
        client.prepare.updateUsageApiKeyMetadata({ usageKey: key, name, description }),
      show: () => 'the labels are changed',
    }),
    record: command({
      summary: 'sets whether the records of the runs of a key have their output',
      arguments: { key, state: { required: true, parse: parseSwitch, help: 'on or off' } },
      examples: ['keys record 0x… on'],
      run: async (session, { key, state }) => {
        await (await session.client()).setUsageApiKeyRecording({
          usageKey: key,
          recordOutput: state === 'on',
        });
        return { usageKeyHash: key, recordOutput: state === 'on' };
      },
      show: ({ recordOutput }) =>
        `output is ${recordOutput ? 'recorded' : 'not recorded, and kept output is deleted'}`,
    }),
    remove: write({
      summary: 'removes a usage key',
      arguments: { key },
      examples: ['keys remove 0x…', 'keys remove 0x… --yes'],
      asks: true,
      prepare: (client, { key }) => client.prepare.removeUsageApiKey({ usageKey: key }),
      show: () => 'the key is removed',
    }),
  },
};
