/** Login, profiles and everything of an account, on the shared stack. */
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, usageKeyHash } from '@latchkey/sdk';
import { newAccount, newKeyText, stack } from '@latchkey/testing/stack';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inHome, isSafe, newHome } from './latchkey.ts';

const mode = async (path: string) => (await stat(path)).mode & 0o777;

// A test starts several processes.
const timeout = 300_000;

describe('login', { timeout }, () => {
  test('takes the key from stdin, keeps it in a file of the user only, and prints it never', async () => {
    const home = await newHome();
    const latchkey = inHome(home);
    const { key } = await newAccount();
    const ended = await latchkey(['login'], { stdin: `${key}\n` });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const folder = join(home, 'config/latchkey');
    expect([await mode(folder), await mode(join(folder, 'profiles.json'))]).toEqual([0o700, 0o600]);
    const outputs = [
      ended,
      await latchkey(['profiles', 'list', '--json']),
      await latchkey(['account', 'show']),
    ];
    for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain(key);
    expect((await latchkey(['account', 'key'])).code).toBe(2);
    expect((await latchkey(['account', 'key', '--show'])).stdout).toBe(`${key}\n`);
  });

  test('refuses a key that no account has, and stores nothing', async () => {
    const home = await newHome();
    const key = newKeyText();
    const { code, stdout, stderr } = await inHome(home)(['login'], { stdin: key });
    expect([code, stderr]).toEqual([3, expect.stringContaining('no account has this key')]);
    expect(stdout + stderr).not.toContain(key);
    await expect(stat(join(home, 'config/latchkey/profiles.json'))).rejects.toThrow('ENOENT');
  });

  test('refuses a file or a folder that others can read', async () => {
    const home = await newHome();
    const latchkey = inHome(home);
    const { key } = await newAccount();
    await latchkey(['login'], { env: { LATCHKEY_ACCOUNT_KEY: key } });
    const folder = join(home, 'config/latchkey');
    const path = join(folder, 'profiles.json');
    for (const [open, safe] of [
      [path, 0o600],
      [folder, 0o700],
    ] as const) {
      await chmod(open, safe | 0o044);
      const { code, stdout, stderr } = await latchkey(['account', 'show']);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`other users have access to ${open}\nRun: chmod go-rwx`);
      await chmod(open, safe);
    }
    await writeFile(path, `{"secret ${key}`);
    const broken = await latchkey(['account', 'show']);
    expect([broken.code, broken.stderr.includes(key)]).toEqual([1, false]);
    expect(broken.stderr).toContain('Move it away');
  });

  test('sends the key of a profile to no other URL', async () => {
    const latchkey = inHome(await newHome());
    const { key } = await newAccount();
    await latchkey(['login'], { env: { LATCHKEY_ACCOUNT_KEY: key } });
    const refused = await latchkey(['groups', 'list', '--url', 'http://127.0.0.1:9']);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('are not sent to another URL'),
    });
  });

  test('reads LATCHKEY_URL as --url is read', async () => {
    const latchkey = inHome(await newHome());
    const { key } = await newAccount();
    await latchkey(['login'], { stdin: key });
    expect((await latchkey(['groups', 'list'], { env: { LATCHKEY_URL: `${stack.url}/` } })).code).toBe(0);
    const malformed = await latchkey(['groups', 'list'], { env: { LATCHKEY_URL: 'http://user:word@a' } });
    expect(malformed).toEqual({
      code: 2,
      stdout: '',
      stderr: '--url or LATCHKEY_URL: expected an http or https URL without user and password\n',
    });
  });

  test('has several profiles', async () => {
    const latchkey = inHome(await newHome());
    for (const name of ['one', 'two']) {
      const { key } = await newAccount();
      await latchkey(['login', '--profile', name], { stdin: key });
    }
    await latchkey(['groups', 'add', 'of two', '--profile', 'two']);
    const names = async () => JSON.parse((await latchkey(['groups', 'list', '--json'])).stdout).items.length;
    expect(await names()).toBe(0);
    const taken = await latchkey(['login', '--profile', 'two'], { stdin: newKeyText() });
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('the profile "two" exists') });
    await latchkey(['profiles', 'use', 'two']);
    expect(await names()).toBe(1);
    expect((await latchkey(['logout', 'two'])).code).toBe(2);
    await latchkey(['logout', 'two', '--yes']);
    expect((await latchkey(['groups', 'list', '--profile', 'two'])).stderr).toContain(
      'there is no profile "two"',
    );
  });
});

describe('an account', { timeout }, () => {
  let home: string;
  let latchkey: ReturnType<typeof inHome>;
  afterAll(() => rm(home, { recursive: true, force: true }));
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'latchkey-cli-'));
    latchkey = inHome(home);
    const opened = await latchkey(['account', 'new', '--name', 'Command line']);
    expect(opened).toMatchObject({ code: 0, stdout: expect.stringContaining('latchkey account key --show') });
  });
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await latchkey([...args, '--json']);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };

  test('goes from a wallet to a run that is explained', async () => {
    const { walletAddress, publicKey } = await json('wallets', 'add', 'Signer');
    const { groupId } = await json('groups', 'add', 'Signers', '--wallet', walletAddress, '--action', 'any');
    const added = await latchkey([
      'keys',
      'add',
      'Runner',
      '--execute-in',
      groupId,
      '--spend-cap-cents',
      '100',
      '--save',
      '--json',
    ]);
    const { usageKeyHash: hash, usageKey } = JSON.parse(added.stdout);
    expect(usageKey).toBeUndefined();
    expect((await json('keys', 'list')).items).toMatchObject([
      { usageKeyHash: hash, name: 'Runner', spendCapCents: 100 },
    ]);

    const cid = 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH';
    const explained = await latchkey(['explain', cid, '--wallet', walletAddress]);
    expect(explained).toMatchObject({
      code: 0,
      stdout: `action: permitted, a group permits it (group ${groupId})\nwallet: permitted, a group permits it (group ${groupId})\n`,
    });
    const other = await json('wallets', 'add', 'Other');
    expect((await latchkey(['explain', cid, '--wallet', other.walletAddress])).code).toBe(3);

    const value = 'a value that is secret';
    const set = await latchkey(['secrets', 'set', 'TOKEN', '--public-key', publicKey], { stdin: value });
    expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining('TOKEN') });
    expect(set.stdout + set.stderr).not.toContain(value);
    expect(await json('secrets', 'list')).toMatchObject([{ name: 'TOKEN', walletAddress }]);
    expect((await json('secrets', 'events', 'TOKEN'))[0]).toMatchObject({ event: 'set' });
    expect((await latchkey(['secrets', 'delete', 'TOKEN', '--yes'])).code).toBe(0);
    expect(await json('transactions', 'list')).toEqual({ items: [] });
  });

  test('shows its runs, and tails them until Ctrl-C', async () => {
    const { client, key } = await newRunner();
    const env = { LATCHKEY_ACCOUNT_KEY: key };
    const { runId } = await client.runAction({ code: 'const main = () => "tailed"' });
    const tail = await latchkey(['runs', 'tail', '--json', '--url', stack.url], {
      env,
      onOutput: (text, interrupt) => {
        if (text.includes(runId)) interrupt();
      },
    });
    expect([tail.code, JSON.parse(tail.stdout)]).toMatchObject([0, { id: runId, status: 'success' }]);
    const shown = await latchkey(['runs', 'show', runId], { env });
    expect(shown.stdout).toMatch(/^status +success$/m);
    const { items } = JSON.parse((await latchkey(['runs', 'list', '--json'], { env })).stdout);
    expect(items).toMatchObject([{ id: runId }]);
  });

  test('prints exactly what the SDK returns with --json, bigints as text', async () => {
    const { accountKey } = await json('account', 'key', '--show');
    const client = createClient({ url: stack.url, apiKey: accountKey });
    const asJson = (value: unknown) =>
      JSON.parse(JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? String(part) : part)));
    expect(await json('groups', 'list')).toEqual(asJson(await client.listGroups()));
    expect(await json('wallets', 'list')).toEqual(asJson(await client.listWallets()));
    expect(await json('credit', 'show')).toEqual(asJson(await client.getBalance()));
    // Other tests add blocks to the shared chain.
    const exported = { ...asJson(await client.exportAccount()), block_number: expect.any(String) };
    expect(await json('account', 'export')).toEqual(exported);
    expect((await json('account', 'show')).accountHash).toBe(String(usageKeyHash(accountKey)));
  });

  test('names of others cannot act on the terminal or make a row', async () => {
    const { accountKey } = await json('account', 'key', '--show');
    const name = '\x1b[31mred\u202e\nrow  row';
    await createClient({ url: stack.url, apiKey: accountKey }).addGroup({ name, description: '' });
    const { stdout } = await latchkey(['groups', 'list']);
    expect(stdout).toContain('\\u{1b}[31mred\\u{202e}\\u{a}row');
    expect(isSafe(stdout)).toBe(true);
    const listed = await latchkey(['groups', 'list', '--json']);
    expect(isSafe(listed.stdout)).toBe(true);
    expect(JSON.parse(listed.stdout).items.at(-1).name).toBe(name);
    const refused = await latchkey(['groups', `\x1b[2J`]);
    expect(isSafe(refused.stderr)).toBe(true);
  });

  test('--dry-run sends nothing, and a removal asks', async () => {
    const before = await json('groups', 'list');
    const preview = await latchkey(['groups', 'add', 'Not sent', '--dry-run']);
    expect(preview).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Creates the group “Not sent”.*\nPrice: 1 cent\n$/),
    });
    const asked = await latchkey(['groups', 'remove', '1']);
    expect(asked).toMatchObject({
      code: 2,
      stderr: 'this change asks for a confirmation, and there is no terminal\nAdd --yes.\n',
    });
    expect(await json('groups', 'list')).toEqual(before);
  });

  test('takes no key as an argument, and does not repeat it', async () => {
    const key = newKeyText();
    const { code, stderr } = await latchkey(['keys', 'remove', key, '--yes']);
    expect([code, stderr.includes(key)]).toEqual([2, false]);
    expect(stderr).toContain('Give the hash of a key, never the key.');
  });

  test('ends with 3 when it is not permitted, and says what to do', async () => {
    const { client } = await newRunner();
    const { usageKey } = await client.addUsageApiKey({ name: 'nothing' });
    const env = { LATCHKEY_USAGE_KEY: usageKey };
    const home = inHome(await newHome());
    const refused = await home(['groups', 'add', 'Refused'], { env });
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect((await home(['groups', 'list'], { env: { LATCHKEY_ACCOUNT_KEY: newKeyText() } })).code).toBe(3);
    const asJson = await home(['groups', 'add', 'Refused', '--json'], { env });
    expect(JSON.parse(asJson.stderr)).toMatchObject({
      code: expect.any(String),
      message: expect.any(String),
    });
  });

  test('rotates its key in the profile', async () => {
    const { accountKey: before } = await json('account', 'key', '--show');
    expect((await latchkey(['account', 'rotate', '--yes'])).code).toBe(0);
    const { accountKey: after } = await json('account', 'key', '--show');
    expect(after).not.toBe(before);
    expect((await json('account', 'show')).exists).toBe(true);
    expect((await json('profiles', 'list')).map(({ name }: { name: string }) => name)).toEqual(['default']);
  });
});

/** Returns a client of a new account, which has a usage key for every action. */
async function newRunner() {
  const { key } = await newAccount();
  const account = createClient({ url: stack.url, apiKey: key });
  const { usageKey } = await account.addUsageApiKey({ executeInGroups: [0n] });
  const runner = createClient({ url: stack.url, apiKey: usageKey });
  return { key, client: { ...account, runAction: runner.runAction } };
}

test('a ChainSecured account by a private key writes without gas', { timeout }, async () => {
  const home = await newHome();
  const latchkey = inHome(home);
  const privateKey = generatePrivateKey();
  const login = await latchkey(
    ['login', '--private-key', '--rpc-url', stack.rpcUrl, '--indexer-url', stack.indexerUrl],
    { stdin: privateKey },
  );
  expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining(privateKeyToAddress(privateKey)) });
  expect((await latchkey(['account', 'new', '--name', 'Mine'])).code).toBe(0);
  expect((await latchkey(['groups', 'list'])).stdout).toMatch(/^GROUP/);
  const shown = await latchkey(['account', 'show', '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({ mode: 'chainSecured', exists: true });
  for (const { stdout, stderr } of [login, shown]) expect(stdout + stderr).not.toContain(privateKey);
  expect(await readFile(join(home, 'config/latchkey/profiles.json'), 'utf8')).toContain(privateKey);
});

test('completion gives the words of a place', { timeout }, async () => {
  const home = await newHome();
  const words = async (...given: string[]) =>
    (await inHome(home)(['completion', 'words', '--', ...given])).stdout.trim().split('\n');
  expect(await words('gr')).toEqual(['groups']);
  expect(await words('groups', 'add-')).toEqual(['add-action', 'add-wallet']);
  expect(await words('groups', 'add', '--dr')).toEqual(['--dry-run']);
  expect((await inHome(home)(['completion', 'bash'])).stdout).toContain(
    'complete -o default -F _latchkey latchkey',
  );
});
