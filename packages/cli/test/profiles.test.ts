/** Profiles that share a keyring or a file: no key is lost. */
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { addUsageKey, newAccount } from '@latchkey/testing/stack';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { profilesPath, readProfiles, saveProfile } from '../src/profiles.ts';
import { inHome, newHome } from './latchkey.ts';

// A test starts several processes.
const timeout = 300_000;

const keyringModule = pathToFileURL(join(import.meta.dirname, 'keyring.ts')).href;

/** Returns a function that runs `latchkey` with a keyring, and profiles in a folder of the home. */
function withKeyring(home: string) {
  return (folder: string, args: string[], env: Record<string, string> = {}) =>
    inHome(home)(args, {
      env: {
        NODE_OPTIONS: `--import=${keyringModule}`,
        KEYRING: home,
        XDG_CONFIG_HOME: join(home, folder),
        ...env,
      },
    });
}

describe('the keyring', { timeout }, () => {
  test('has one entry of a name: a profile of another folder does not replace it', async () => {
    const home = await newHome();
    const latchkey = withKeyring(home);
    expect((await latchkey('one', ['account', 'new', '--name', 'First'])).code).toBe(0);
    const { accountKey } = JSON.parse(await readFile(join(home, 'latchkey-default'), 'utf8'));
    const refusal = {
      code: 1,
      stdout: '',
      stderr:
        'the keyring has keys of another profile "default"\nName another one with --profile, or choose --store file.\n',
    };
    // Nothing listens there: no account is opened.
    const open = ['account', 'new', '--name', 'Second', '--url', 'http://127.0.0.1:9'];
    expect(await latchkey('two', open)).toEqual(refusal);
    const { key } = await newAccount();
    expect(await latchkey('two', ['login'], { LATCHKEY_ACCOUNT_KEY: key })).toEqual(refusal);
    const usageKey = await addUsageKey(key);
    expect(await latchkey('two', ['login', '--usage-key'], { LATCHKEY_USAGE_KEY: usageKey })).toEqual(
      refusal,
    );

    expect((await latchkey('two', ['account', 'new', '--name', 'Second', '--store', 'file'])).code).toBe(0);
    expect((await latchkey('two', ['logout', '--yes'])).code).toBe(0);
    await rm(join(home, 'one/latchkey/profiles.json'));
    expect(await latchkey('one', open)).toEqual(refusal);
    expect(await readFile(join(home, 'latchkey-default'), 'utf8')).toContain(accountKey);
  });

  test('is not written when it cannot be read', async () => {
    const home = await newHome();
    await writeFile(join(home, 'latchkey-default'), 'locked');
    const { key } = await newAccount();
    const login = await withKeyring(home)('one', ['login'], { LATCHKEY_ACCOUNT_KEY: key });
    expect([login.code, login.stdout]).toEqual([0, expect.stringContaining('profiles.json')]);
    expect(await readFile(join(home, 'latchkey-default'), 'utf8')).toBe('locked');
  });
});

describe('the file', { timeout }, () => {
  test('of two accounts that are opened concurrently, it has one, and the key of the other is printed', async () => {
    const latchkey = inHome(await newHome());
    const opened = await Promise.all(
      ['One', 'Two'].map((name) => latchkey(['account', 'new', '--name', name, '--store', 'file'])),
    );
    const refused = opened.filter(({ code }) => code !== 0);
    expect(refused).toMatchObject([
      { code: 1, stderr: expect.stringContaining('the profile "default" exists') },
    ]);
    // Without the key, no account was opened.
    const [lost] = refused;
    expect(lost?.stderr).toMatch(
      /could not be stored: [^\n]+\nKeep it: \S+\n$|^the profile "default" exists\n/,
    );
    expect(JSON.parse((await latchkey(['account', 'show', '--json'])).stdout)).toMatchObject({
      exists: true,
    });
  });

  const inOwnFolder = async (): Promise<void> => {
    vi.stubEnv('XDG_CONFIG_HOME', await newHome());
    onTestFinished(() => void vi.unstubAllEnvs());
  };
  const save = (name: string) => saveProfile(name, { url: 'http://127.0.0.1' }, {}, 'file');

  test('keeps all profiles that are stored concurrently, and the first of a name', async () => {
    await inOwnFolder();
    const names = ['one', 'two', 'three', 'four'];
    const saved = await Promise.allSettled([...names, 'one'].map(save));
    const refused = saved.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: { message: 'the profile "one" exists' } }]);
    expect(Object.keys((await readProfiles()).profiles).toSorted()).toEqual(names.toSorted());
  });

  test('is not changed under the lock of another process', async () => {
    await inOwnFolder();
    const lock = `${profilesPath()}.lock`;
    await mkdir(join(lock, '..'), { mode: 0o700 });
    await writeFile(lock, '');
    await expect(save('one')).rejects.toMatchObject({ fix: `When none is running, remove ${lock}.` });
    await stat(lock);
    expect((await readProfiles()).profiles).toEqual({});
  });
});

test('Ctrl-C at a prompt ends with 130', { timeout }, async () => {
  const ended = await inHome(await newHome())(['login'], {
    stdin: '\x03',
    env: { NODE_OPTIONS: '--import=data:text/javascript,process.stdin.isTTY=true' },
  });
  expect(ended).toMatchObject({ code: 130, stdout: '', stderr: 'account key: \ninterrupted\n' });
});
