/** Login and profiles. */
import { createClient } from '@latchkey/sdk';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type Command, command, type Topic } from '../command.ts';
import { CommandError, EXIT, UsageError } from '../errors.ts';
import * as options from '../options.ts';
import { parseUrl } from '../parse.ts';
import {
  changeSecrets,
  type Profile,
  profilesPath,
  readProfiles,
  removeProfile,
  requireFree,
  saveProfile,
  useProfile,
} from '../profiles.ts';
import { readSecret } from '../prompt.ts';
import type { Session } from '../session.ts';
import { fields, table } from '../text.ts';

type Services = { url: string; triggersUrl?: string };

/** Returns the URLs of a new profile. */
export function servicesOf(session: Session, url: string): Services {
  const { triggersUrl } = session.options;
  return { url, ...(triggersUrl !== undefined && { triggersUrl }) };
}

type Place = { rpcUrl?: string | undefined; indexerUrl?: string | undefined };

/** Asks the wallet for its address, and the relayer for its contract. */
async function logInByWallet(session: Session, isBrowser: boolean, { rpcUrl, indexerUrl }: Place) {
  if (rpcUrl === undefined)
    throw new UsageError('a wallet needs a node of the chain', 'Give its URL with --rpc-url.');
  const url = await session.url();
  const { contractAddress, chainId } = await createClient({ url }).getNodeChainConfig();
  const privateKey = isBrowser ? undefined : await readSecret('private key', 'LATCHKEY_PRIVATE_KEY');
  if (privateKey !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(privateKey))
    throw new UsageError('expected a private key: 0x and 64 hex digits');
  const address = privateKey
    ? privateKeyToAccount(privateKey as Hex).address
    : await (await session.browserWallet()).address();
  const wallet: NonNullable<Profile['wallet']> = {
    address,
    signer: isBrowser ? 'browser' : 'key',
    contractAddress,
    chainId,
    rpcUrl,
    ...(indexerUrl !== undefined && { indexerUrl }),
  };
  if (privateKey === undefined) return { wallet, secrets: {} };
  const client = await session.walletClient(url, wallet, { privateKey });
  if (!(await client.accountExists()))
    session.tell('The wallet owns no account yet: latchkey account new opens one.');
  return { wallet, secrets: { privateKey } };
}

/** Adds a usage key to a profile, or to a new one. */
async function logInByUsageKey(name: string, services: Services, store: Profile['store'] | undefined) {
  const usageKey = await readSecret('usage key', 'LATCHKEY_USAGE_KEY');
  await createClient({ url: services.url, apiKey: usageKey }).getBalance();
  const earlier = (await readProfiles()).profiles[name];
  if (!earlier) return saveProfile(name, services, { usageKey }, store);
  for (const service of ['url', 'triggersUrl'] as const) {
    const [known, given] = [earlier[service], services[service]];
    if (known !== undefined && given !== undefined && given !== known)
      throw new CommandError(`the profile "${name}" is for ${known}`, 'Name another one with --profile.');
  }
  return changeSecrets(name, { usageKey }, services);
}

async function readAccountKey(url: string): Promise<string> {
  const accountKey = await readSecret('account key', 'LATCHKEY_ACCOUNT_KEY');
  if (await createClient({ url, apiKey: accountKey }).accountExists()) return accountKey;
  throw new CommandError(
    'no account has this key',
    `Check the key, and that ${url} is its relayer.`,
    EXIT.refused,
  );
}

export const login: Command = command({
  summary: 'stores the account key, the admin wallet or a usage key in a profile',
  options: {
    wallet: { help: 'a ChainSecured account: signs by a link in the browser of its wallet' },
    privateKey: {
      help: 'a ChainSecured account: signs by a private key, from the prompt, stdin or LATCHKEY_PRIVATE_KEY',
    },
    usageKey: { help: 'adds a usage key to the profile, which runs actions' },
    rpcUrl: { value: 'url', parse: parseUrl, help: 'node of the chain, for a wallet' },
    indexerUrl: { value: 'url', parse: parseUrl, help: 'indexer, for a wallet: lists then have names' },
    store: options.store,
  },
  examples: [
    'login --url https://relayer.example.com',
    'login --profile work < account-key.txt',
    'login --usage-key',
    'login --wallet --rpc-url https://mainnet.base.org',
  ],
  run: async (session, { wallet: isBrowser, privateKey, usageKey: isUsageKey, store, ...place }) => {
    if ([isBrowser, privateKey, isUsageKey].filter(Boolean).length > 1)
      throw new UsageError('--wallet, --private-key and --usage-key exclude each other', 'Give one of them.');
    const url = await session.url();
    const name = session.options.profile ?? (await readProfiles()).current;
    const services = servicesOf(session, url);
    if (isUsageKey) return { profile: name, url, store: await logInByUsageKey(name, services, store) };
    await requireFree(name, store);
    if (isBrowser || privateKey) {
      const { wallet, secrets } = await logInByWallet(session, isBrowser, place);
      const saved = await saveProfile(name, { ...services, wallet }, secrets, store);
      return { profile: name, url, store: saved, wallet: wallet.address };
    }
    const accountKey = await readAccountKey(url);
    return { profile: name, url, store: await saveProfile(name, services, { accountKey }, store) };
  },
  show: ({ profile, url, store, wallet }) =>
    fields({ profile, url, wallet, keys: store === 'file' ? profilesPath() : 'in the keyring' }),
});

/** Returns a profile without its keys. */
function profileOf(profile: Profile): Omit<Profile, 'store' | 'secrets'> {
  const { store: _store, secrets: _secrets, ...rest } = profile;
  return rest;
}

export const logout: Command = command({
  summary: 'removes a profile with its keys',
  arguments: { profile: { help: 'default: the profile in use' } },
  options: { yes: options.yes },
  examples: ['logout', 'logout work --yes'],
  run: async (session, { profile, yes }) => {
    const name = profile ?? session.options.profile ?? (await readProfiles()).current;
    if (!yes)
      await session.confirm(
        `Removes the profile ${name} with its keys. An account key that is nowhere else is lost: latchkey account key --show prints it.`,
      );
    await removeProfile(name);
    return { profile: name };
  },
  show: ({ profile }) => `removed the profile ${profile}`,
});

export const profiles: Topic = {
  summary: 'profiles: accounts and services under names',
  commands: {
    list: command({
      summary: 'lists the profiles, without their keys',
      examples: ['profiles list'],
      run: async () => {
        const { current, profiles } = await readProfiles();
        return Object.entries(profiles).map(([name, profile]) => ({
          name,
          isCurrent: name === current,
          mode: profile.wallet ? 'chainSecured' : 'api',
          store: profile.store,
          ...profileOf(profile),
        }));
      },
      show: (items) =>
        table(items, {
          PROFILE: ({ name }) => name,
          USED: ({ isCurrent }) => isCurrent,
          MODE: ({ mode }) => mode,
          URL: ({ url }) => url,
          KEYS: ({ store }) => store,
        }),
    }),
    use: command({
      summary: 'makes a profile the default',
      arguments: { name: { required: true, help: 'name of a profile' } },
      examples: ['profiles use work'],
      run: async (_session, { name }) => {
        await useProfile(name);
        return { profile: name };
      },
      show: ({ profile }) => `using ${profile}`,
    }),
  },
};
