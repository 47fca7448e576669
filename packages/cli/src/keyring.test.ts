/** The keyring of the system: a real Secret Service (gnome-keyring), and a machine without one. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const hasKeyring = ['dbus-run-session', 'gnome-keyring-daemon'].every(
  (command) => spawnSync(command, ['--version']).status === 0,
);
const reason = 'dbus or gnome-keyring is not installed';
const keys = '{"accountKey":"a key: é"}';

/** Returns the command of a process that prints the value of an expression with the functions of the module. */
const print = (expression: string): string => {
  const imports = `import * as keyring from '${import.meta.dirname}/keyring.ts'`;
  const program = `${imports}; console.log(JSON.stringify({ value: await keyring.${expression} }))`;
  return `'${process.execPath}' --input-type=module --eval "$(cat <<'END'\n${program}\nEND\n)"`;
};

/** Runs commands in a new home. Resolves to the printed values. */
async function run(commands: string[], inSession: string[]): Promise<unknown[]> {
  const home = await mkdtemp(join(tmpdir(), 'latchkey-keyring-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const XDG_RUNTIME_DIR = join(home, 'run');
  await mkdir(XDG_RUNTIME_DIR, { mode: 0o700 });
  const [file = '', ...args] = [...inSession, 'sh', '-e', '-c', commands.join('\n')];
  const directories = { HOME: home, XDG_RUNTIME_DIR, XDG_DATA_HOME: join(home, 'data') };
  const { stdout } = await promisify(execFile)(file, args, {
    env: { PATH: process.env.PATH, ...directories, DBUS_SESSION_BUS_ADDRESS: `unix:path=${home}/none` },
  });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => (JSON.parse(line) as { value?: unknown }).value);
}

const bus = 'dbus-send --session --print-reply --dest=org.freedesktop';
const start = `printf password | gnome-keyring-daemon --unlock --components=secrets --daemonize >&2
until ${bus}.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets | grep -q true; do sleep 0.05; done`;
const path = '/org/freedesktop/secrets';
const lock = `${bus}.secrets ${path} org.freedesktop.Secret.Service.Lock array:objpath:${path}/collection/login >&2`;
const session = ['dbus-run-session', '--'];

test('a Secret Service keeps the keys of a profile for other processes, and removes them', async ({
  skip,
}) => {
  skip(!hasKeyring, reason);
  const use = [`writeKeyring('one', '${keys}')`, "readKeyring('one')", "readKeyring('two')"];
  const remove = ["removeFromKeyring('one')", "readKeyring('one')"];
  const values = await run([start, ...[...use, ...remove].map(print)], session);
  expect(values).toEqual([true, keys, undefined, undefined, undefined]);
});

test('a locked Secret Service is neither read nor written, and refuses a removal', async ({ skip }) => {
  skip(!hasKeyring, reason);
  const write = `writeKeyring('one', '${keys}')`;
  const remove = "removeFromKeyring('one').catch(({ message }) => message)";
  const locked = [write, "readKeyring('one')", remove].map(print);
  const values = await run([start, print(write), lock, ...locked], session);
  expect(values).toEqual([true, false, undefined, expect.stringContaining('unlock prompt was dismissed')]);
});

test.runIf(process.platform === 'linux')(
  'without one, nothing is stored, not even in the kernel',
  async () => {
    const listed = 'cat /proc/keys >&2; if grep -q kept-nowhere /proc/keys; then exit 1; fi';
    const use = ["writeKeyring('kept-nowhere', 'a key')", "readKeyring('kept-nowhere')"];
    expect(await run([...use.map(print), listed], [])).toEqual([false, undefined]);
  },
);
