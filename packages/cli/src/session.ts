/** The session of a command: its output, the profile, and the clients of it. */
import { safeLines, toJson } from '@latchkey/command/text';
import type { ApiClient, ChainSecuredClient, TriggersClient } from '@latchkey/sdk';
import { createClient, createTriggersClient, logInToTriggers } from '@latchkey/sdk';
import { type Address, createWalletClient, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { BrowserWallet } from './browser-wallet.ts';
import { CommandError, UsageError } from './errors.ts';
import { type Profile, readProfiles, readSecrets, type Secrets } from './profiles.ts';
import { confirm } from './prompt.ts';

const LOCAL_URL = 'http://127.0.0.1:8000';
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export type Client = ApiClient | ChainSecuredClient;

/** Options that every command has, from the command line or the environment. */
export type SharedOptions = {
  json?: boolean | undefined;
  profile?: string | undefined;
  url?: string | undefined;
  triggersUrl?: string | undefined;
};

const NOT_LOGGED_IN = 'Run latchkey login, or latchkey account new for a new account.';

type Loaded = { name: string; profile: Profile | undefined; secrets: Secrets };

/** Owns the page of the browser wallet and the login to the trigger service, which end with the command. */
export class Session {
  readonly options: SharedOptions;
  readonly isJson: boolean;
  readonly #cleanups: (() => Promise<void>)[] = [];
  #loaded: Promise<Loaded> | undefined;
  #client: Promise<Client> | undefined;

  constructor(options: SharedOptions) {
    this.options = options;
    this.isJson = options.json ?? false;
  }

  /** Prints the text, or the value as JSON. */
  print(value: unknown, text: string): void {
    const line = this.isJson ? toJson(value, 2) : safeLines(text);
    if (line !== '') process.stdout.write(`${line}\n`);
  }

  /** Prints one of several values of a stream: a line each. */
  printNext(value: unknown, text: string): void {
    process.stdout.write(`${this.isJson ? toJson(value) : safeLines(text)}\n`);
  }

  /** Tells the person at the terminal something that is not the result. */
  tell(text: string): void {
    process.stderr.write(`${safeLines(text)}\n`);
  }

  confirm(changes: string): Promise<void> {
    return confirm(safeLines(changes));
  }

  /** Returns the profile in use, undefined for another URL than its own, and the keys; those of the environment take precedence. */
  profile(): Promise<Loaded> {
    this.#loaded ??= (async () => {
      const { current, profiles } = await readProfiles();
      const name = this.options.profile ?? current;
      const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
      if (!profile && this.options.profile !== undefined)
        throw new CommandError(`there is no profile "${name}"`, 'See latchkey profiles list.');
      const { LATCHKEY_ACCOUNT_KEY: accountKey, LATCHKEY_USAGE_KEY: usageKey } = process.env;
      const isOwn = (this.options.url ?? profile?.url) === profile?.url;
      if (profile && !isOwn && accountKey === undefined && usageKey === undefined)
        throw new CommandError(
          `the keys of the profile "${name}" are for ${profile.url}, and are not sent to another URL`,
          'Log in to that URL with another --profile, or pass a key by LATCHKEY_ACCOUNT_KEY or LATCHKEY_USAGE_KEY.',
        );
      const secrets = {
        ...(profile && isOwn && (await readSecrets(name, profile))),
        ...(accountKey !== undefined && { accountKey }),
        ...(usageKey !== undefined && { usageKey }),
      };
      return { name, profile: isOwn ? profile : undefined, secrets };
    })();
    return this.#loaded;
  }

  /** Returns the URL of the relayer without the keys of the profile. */
  async url(): Promise<string> {
    if (this.options.url !== undefined) return this.options.url;
    const { current, profiles } = await readProfiles();
    return profiles[this.options.profile ?? current]?.url ?? LOCAL_URL;
  }

  /** Returns the URL of the local stack: for accounts that are opened for one run. */
  localUrl(): string {
    const url = this.options.url ?? LOCAL_URL;
    if (LOOPBACK.test(new URL(url).hostname)) return url;
    throw new UsageError(
      `${url} is not a local stack`,
      'Unset LATCHKEY_URL, or give the URL of a stack on this machine with --url.',
    );
  }

  /** Returns the client of the account: by its key, its wallet, or else by the usage key. */
  client(): Promise<Client> {
    this.#client ??= (async () => {
      const { profile, secrets } = await this.profile();
      const url = await this.url();
      const { accountKey, usageKey } = secrets;
      if (process.env.LATCHKEY_ACCOUNT_KEY === undefined && profile?.wallet)
        return this.walletClient(url, profile.wallet, secrets);
      const apiKey = accountKey ?? usageKey;
      if (apiKey === undefined) throw new CommandError('not logged in', NOT_LOGGED_IN);
      return createClient({ url, apiKey });
    })();
    return this.#client;
  }

  /** Returns a ChainSecured client. Its wallet signs, and the relayer sends. */
  async walletClient(
    url: string,
    wallet: NonNullable<Profile['wallet']>,
    { privateKey }: Secrets,
  ): Promise<Client> {
    const { rpcUrl, indexerUrl } = wallet;
    const shared = {
      url,
      wallet: createWalletClient({
        account: await this.#account(wallet, privateKey),
        transport: http(rpcUrl),
        pollingInterval: 500,
      }),
      contractAddress: wallet.contractAddress as Address,
      writes: 'signed' as const,
      // A person signs.
      ...(wallet.signer === 'browser' && { timeoutMs: 300_000 }),
    };
    return indexerUrl === undefined ? createClient(shared) : createClient({ ...shared, indexerUrl });
  }

  async #account(wallet: NonNullable<Profile['wallet']>, privateKey: string | undefined) {
    if (wallet.signer === 'browser') return (await this.browserWallet()).account(wallet);
    if (privateKey === undefined)
      throw new CommandError('the profile has no private key', 'Run latchkey login --private-key.');
    return privateKeyToAccount(privateKey as Hex);
  }

  /** Serves the page of the browser wallet until the command ends. */
  async browserWallet(): Promise<BrowserWallet> {
    const browser = await BrowserWallet.serve((text) => this.tell(text));
    this.#cleanups.push(() => browser.close());
    return browser;
  }

  /** Returns the text of the usage key. */
  async usageKey(): Promise<string> {
    const { secrets } = await this.profile();
    if (secrets.usageKey !== undefined) return secrets.usageKey;
    throw new CommandError(
      'there is no usage key to run actions with',
      'Run latchkey keys add --save --execute-in <group>, or latchkey login --usage-key, or set LATCHKEY_USAGE_KEY.',
    );
  }

  /** Returns the client that runs actions. */
  async runner(): Promise<ApiClient> {
    return createClient({ url: await this.url(), apiKey: await this.usageKey() });
  }

  async #triggersUrl(): Promise<string> {
    const { profile } = await this.profile();
    const url = this.options.triggersUrl ?? profile?.triggersUrl;
    if (url !== undefined) return url;
    throw new UsageError(
      'the URL of the trigger service is not known',
      'Give it with --triggers-url or LATCHKEY_TRIGGERS_URL, or at latchkey login.',
    );
  }

  /** Throws when a key is that of the profile, and the trigger service is not. */
  async #requireOwnTriggers(variable: 'LATCHKEY_ACCOUNT_KEY' | 'LATCHKEY_USAGE_KEY'): Promise<void> {
    const { name, profile } = await this.profile();
    const url = await this.#triggersUrl();
    if (!profile || process.env[variable] || profile.triggersUrl === url) return;
    const own =
      profile.triggersUrl === undefined
        ? 'it has no trigger service'
        : `its trigger service is ${profile.triggersUrl}`;
    throw new CommandError(
      `the keys of the profile "${name}" are not sent to the trigger service ${url}: ${own}`,
      'Log in with --triggers-url and another --profile, or pass a key or a token by the environment.',
    );
  }

  /** Returns the usage key for the runs of a trigger. */
  async triggersUsageKey(): Promise<string> {
    await this.#requireOwnTriggers('LATCHKEY_USAGE_KEY');
    return this.usageKey();
  }

  /** Returns the client of the trigger service: with the token of an agent, or logged in until the command ends. */
  async triggers(): Promise<TriggersClient> {
    const { secrets } = await this.profile();
    const url = await this.#triggersUrl();
    const given = process.env.LATCHKEY_TRIGGERS_TOKEN;
    if (given !== undefined) return createTriggersClient({ url, token: given });
    await this.#requireOwnTriggers('LATCHKEY_ACCOUNT_KEY');
    const { token } = await this.#logIn(url, secrets);
    const client = createTriggersClient({ url, token });
    this.#cleanups.push(() => client.logOutOfTriggers());
    return client;
  }

  async #logIn(url: string, { accountKey }: Secrets): Promise<{ token: string }> {
    const client = await this.client();
    if (client.mode === 'chainSecured') return logInToTriggers({ url, wallet: client.internals.wallet });
    if (accountKey !== undefined) return logInToTriggers({ url, accountKey });
    throw new CommandError(
      'triggers need the account key, the admin wallet or an agent',
      'Run latchkey login, or set LATCHKEY_TRIGGERS_TOKEN to the token of a paired agent.',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The result is known: a failed cleanup does not change it.
    await Promise.allSettled(this.#cleanups.reverse().map((clean) => clean()));
  }
}
