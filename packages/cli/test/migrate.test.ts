/** From the other system: code that is rewritten runs, and an account is imported. On the shared stack. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cidHash, cidOf, walletIdentity } from '@latchkey/protocol';
import { createClient, usageKeyHash } from '@latchkey/sdk';
import { addGroup, addUsageKey, createWallet, newAccount, newKeyText, stack } from '@latchkey/testing/stack';
import { type Address, verifyMessage, zeroAddress } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { expect, test } from 'vitest';
import { compileSource } from '../src/actions/compile.ts';
import { inHome, isSafe, newHome } from './latchkey.ts';
import { migrations } from './migrations.ts';
import { deployOtherAccount, startLossyRelayer } from './other-account.ts';

// A test starts several processes.
const timeout = 300_000;

test('code is rewritten in place, and again without a change', { timeout }, async () => {
  const home = await newHome();
  const latchkey = inHome(home);
  const code = join(home, 'code');
  await mkdir(join(code, 'node_modules'), { recursive: true });
  await writeFile(join(code, 'node_modules/other.js'), 'Lit.Actions;');
  await writeFile(join(code, 'notes.txt'), 'Lit.Actions');
  for (const { file, before } of migrations) await writeFile(join(code, file), before);
  const contents = () => Promise.all(migrations.map(({ file }) => readFile(join(code, file), 'utf8')));

  const preview = await latchkey(['migrate', 'code', 'code', '--dry-run']);
  expect(preview).toMatchObject({ code: 0, stderr: '' });
  expect(preview.stdout).toContain('code/sign-message.js:3:21  Lit → Svc\n');
  expect(preview.stdout).toMatch(/^code\/older\.js:2:35 {2}change by hand: signEcdsa: sign with Svc/m);
  expect(await contents()).toEqual(migrations.map(({ before }) => before));

  const { stdout } = await latchkey(['migrate', 'code', 'code']);
  expect(stdout).toBe(preview.stdout);
  expect(await contents()).toEqual(migrations.map(({ after }) => after));
  const [signing] = migrations;
  const cids = await Promise.all([signing?.before ?? '', signing?.after ?? ''].map(cidOf));
  expect(stdout).toContain(`code/sign-message.js  CID ${cids.join(' → ')}\n`);
  expect(await readFile(join(code, 'node_modules/other.js'), 'utf8')).toBe('Lit.Actions;');

  const again = await latchkey(['migrate', 'code', 'code', '--json']);
  expect(JSON.parse(again.stdout).flatMap(({ changes }: { changes: unknown[] }) => changes)).toEqual([]);
});

test('a file that does not parse is left and named, and the others are written', { timeout }, async () => {
  const home = await newHome();
  await writeFile(join(home, 'broken.js'), 'Lit.Actions.(');
  await writeFile(join(home, 'latin.js'), Buffer.from([0x27, 0xe9, 0x27]));
  await writeFile(join(home, 'whole\n\u001b[2J.js'), 'Lit.Actions;');
  const { code, stdout } = await inHome(home)(['migrate', 'code', '.']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^broken\.js {2}not changed: 1:\d+: /m);
  expect(stdout).toContain('latin.js  not changed: is not UTF-8\n');
  expect(isSafe(stdout)).toBe(true);
  expect(await readFile(join(home, 'broken.js'), 'utf8')).toBe('Lit.Actions.(');
  expect(await readFile(join(home, 'whole\n\u001b[2J.js'), 'utf8')).toBe('Svc.Actions;');
  const missing = await inHome(home)(['migrate', 'code', 'missing.js']);
  expect(missing).toMatchObject({ code: 2, stderr: 'missing.js: no such file or folder\n' });
});

const responses: Record<string, unknown> = {
  'sign-message.js': { signature: expect.stringMatching(/^0x[0-9a-f]{130}$/) },
  'own-key.js': { isOwn: true, signature: expect.any(String) },
  'pattern.js': { same: true, encrypts: 'function' },
  'constant.js': { plain: 'secret', length: 66 },
  'response.js': { isWallet: true },
  'shadowed.js': ['parameter', 'own', 'Lit.Actions is text', ['Lit']],
  'typed.ts': expect.stringMatching(/^0x[0-9a-f]{130}$/),
  'webhook.js': { source: 'webhook', signed: 132, address: 42 },
};

test('rewritten actions run, and sign with wallets of the service', { timeout }, async () => {
  const { key } = await newAccount();
  const wallet = await createWallet(key);
  const group = await addGroup(key, {
    pkp_ids_permitted: [zeroAddress],
    cid_hashes_permitted: [`0x${'0'.repeat(64)}`],
  });
  const apiKey = await addUsageKey(key, { execute_in_groups: [group] });
  const client = createClient({ url: stack.url, apiKey });
  const runs = migrations.filter(({ params }) => params !== undefined);
  expect(runs.map(({ file }) => file)).toEqual(Object.keys(responses));
  for (const { file, after, params } of runs) {
    const code = (await compileSource(file, after)) ?? '';
    const filled = JSON.stringify(params)
      .replace('$PKP', wallet)
      .replace('$CID', await cidOf(code));
    const run = await client.runAction({ code, jsParams: JSON.parse(filled) });
    expect([file, run.error, run.response]).toEqual([file, undefined, responses[file]]);
    if (file !== 'sign-message.js') continue;
    const { signature } = run.response as { signature: `0x${string}` };
    expect(await verifyMessage({ address: wallet, message: 'hello', signature })).toBe(true);
  }
});

const [signing] = migrations;
const SIGN = signing?.before ?? '';
const NAMED = 'const main = () => "named"';
const GONE = 'const main = () => "gone"';
const wallets = Array.from({ length: 11 }, (_, index) => ({
  address: `0x${`${index + 10}`.repeat(20)}` as Address,
  name: index === 1 ? '\u001b[31mred\u202e' : `Wallet ${index}`,
}));

/** Deploys an account with wallets, actions, groups and keys of each kind. */
async function deploySource(account: bigint) {
  const [signHash, namedHash, goneHash] = [
    cidHash(await cidOf(SIGN)),
    cidHash(await cidOf('code of long ago')),
    cidHash(await cidOf(GONE)),
  ];
  const stranger: Address = `0x${'77'.repeat(20)}`;
  return deployOtherAccount(account, zeroAddress, {
    wallets,
    actions: [
      { hash: signHash, name: 'Sign' },
      { hash: goneHash, name: 'Gone' },
    ],
    groups: [
      {
        id: 4n,
        name: 'Signers',
        cidHashes: [signHash, namedHash, goneHash],
        wallets: [...wallets.map(({ address }) => address), stranger],
      },
      { id: 7n, name: 'All', cidHashes: [0n], wallets: [zeroAddress] },
    ],
    keys: [
      { hash: 101n, name: 'Runner', expiration: 1n << 35n, executeInGroups: [4n] },
      { hash: 102n, name: 'Expired', expiration: 5n, executeInGroups: [0n] },
      { hash: 103n, name: 'Lost', expiration: 0n, executeInGroups: [99n] },
    ],
  });
}

test('an account is imported once, over a lost reply and with code that comes later', {
  timeout: 600_000,
}, async () => {
  const home = await newHome();
  const latchkey = inHome(home);
  const { url, lost } = await startLossyRelayer();
  const env = { LATCHKEY_URL: url };
  const { key } = await newAccount();
  await latchkey(['login'], { stdin: key, env });
  const owner = createClient({ url: stack.url, apiKey: key });
  const folder = join(home, 'actions');
  await mkdir(folder);
  await writeFile(join(folder, 'sign.js'), SIGN);
  await writeFile(join(folder, `${await cidOf('code of long ago')}.js`), NAMED);

  const sourceKey = newKeyText();
  const contract = await deploySource(usageKeyHash(sourceKey));
  const args = [
    'migrate',
    'account',
    '--rpc-url',
    stack.rpcUrl,
    '--contract',
    contract,
    '--actions',
    'actions',
  ];
  const options = { env, stdin: sourceKey };
  const before = await owner.exportAccount();
  const counts = async () => {
    const { wallets, actions, groups, usage_keys } = await owner.exportAccount();
    return [
      wallets.length - before.wallets.length,
      actions.length - before.actions.length,
      groups.length - before.groups.length,
      usage_keys.length - before.usage_keys.length,
    ];
  };

  const preview = await latchkey([...args, '--dry-run'], options);
  expect(preview).toMatchObject({ code: 0, stderr: '' });
  expect(isSafe(preview.stdout)).toBe(true);
  expect(preview.stdout).toContain('Creates the wallet “\\u{1b}[31mred\\u{202e}” for 0x1111');
  for (const text of [
    '“Gone”: no file of --actions',
    '“Expired”: it has expired',
    'some groups of executeInGroups',
  ])
    expect(preview.stdout).toMatch(new RegExp(`^Not imported: .*${text}`, 'm'));
  // 11 wallets, 2 actions, 3 writes for 2 groups, 2 keys.
  expect(preview.stdout).toMatch(/^Price: 18 cents$/m);
  expect(await latchkey(args, options)).toMatchObject({ code: 2, stdout: '' });
  expect(await counts()).toEqual([0, 0, 0, 0]);

  lost.path = '/add_group';
  const failed = await latchkey([...args, '--yes'], options);
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('Repeat the command')]);
  lost.path = '/add_usage_api_key';
  expect((await latchkey([...args, '--yes'], options)).code).toBe(1);
  expect(await counts()).toEqual([11, 2, 2, 1]);
  lost.path = undefined;
  const ended = await latchkey([...args, '--yes', '--json'], options);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(await counts()).toEqual([11, 2, 2, 2]);

  const result = JSON.parse(ended.stdout);
  expect((await stat(result.file)).mode & 0o777).toBe(0o600);
  const record = JSON.parse(await readFile(result.file, 'utf8'));
  const values = Object.values<{ usageKey: string }>(record.keys).map(({ usageKey }) => usageKey);
  expect(values).toHaveLength(2);
  for (const secret of [...values, sourceKey, key])
    for (const { stdout, stderr } of [preview, failed, ended]) expect(stdout + stderr).not.toContain(secret);
  expect(await readFile(result.file, 'utf8')).not.toContain(sourceKey);

  // The new key runs the new code with a new wallet.
  const [runner, lostKey] = values.map((apiKey) => createClient({ url: stack.url, apiKey }));
  const pkpId = result.wallets[wallets[0]?.address ?? ''];
  const run = await runner?.runAction({ code: signing?.after ?? '', jsParams: { pkpId, message: 'moved' } });
  const { signature } = (run?.response ?? {}) as { signature: `0x${string}` };
  expect(await verifyMessage({ address: pkpId, message: 'moved', signature })).toBe(true);
  expect((await runner?.runAction({ code: NAMED }))?.response).toBe('named');
  const refusal = { code: 'forbidden' };
  await expect(runner?.runAction({ code: GONE })).rejects.toMatchObject(refusal);
  await expect(lostKey?.runAction({ code: NAMED })).rejects.toMatchObject(refusal);

  // Code that comes later goes into the group that exists.
  await writeFile(join(folder, 'gone.js'), GONE);
  expect((await latchkey([...args, '--dry-run'], options)).stdout).toMatch(/^Price: 2 cents$/m);
  expect((await latchkey([...args, '--yes'], options)).code).toBe(0);
  expect((await runner?.runAction({ code: GONE }))?.response).toBe('gone');
  expect(await counts()).toEqual([11, 3, 2, 2]);
  expect((await latchkey([...args, '--dry-run'], options)).stdout).toMatch(/^Price: 0 cents$/m);
  expect(await readdir(join(home, 'config/latchkey'))).toHaveLength(2);
});

test('an account goes into one that a wallet owns, by signed writes', { timeout }, async () => {
  const latchkey = inHome(await newHome());
  const wallet = ['login', '--private-key', '--rpc-url', stack.rpcUrl, '--indexer-url', stack.indexerUrl];
  await latchkey(wallet, { stdin: generatePrivateKey() });
  await latchkey(['account', 'new', '--name', 'Owned']);
  const admin = privateKeyToAddress(generatePrivateKey());
  const [first] = wallets;
  const contract = await deployOtherAccount(walletIdentity(admin), admin, {
    wallets: [{ address: first?.address ?? zeroAddress, name: 'Moved' }],
    groups: [{ id: 2n, name: 'Moved', cidHashes: [0n], wallets: [first?.address ?? zeroAddress] }],
    keys: [{ hash: 8n, name: 'Moved', expiration: 0n, executeInGroups: [2n] }],
  });
  const args = ['migrate', 'account', '--rpc-url', stack.rpcUrl, '--contract', contract, '--admin', admin];
  const ended = await latchkey([...args, '--yes', '--json']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const moved = JSON.parse(ended.stdout).wallets[first?.address ?? ''];
  const { items } = JSON.parse((await latchkey(['groups', 'list', '--json'])).stdout);
  expect(items).toMatchObject([{ name: 'Moved', cidHashes: ['0'], pkpIds: [moved] }]);
  expect((await latchkey([...args, '--dry-run'])).stdout).toMatch(/^Price: 0 cents$/m);
});

test('takes no key as an argument, and refuses what is not an account', { timeout }, async () => {
  const home = await newHome();
  const latchkey = inHome(home);
  const { key } = await newAccount();
  await latchkey(['login'], { stdin: key });
  const contract = await deploySource(5n);
  const args = ['migrate', 'account', '--rpc-url', stack.rpcUrl, '--contract', contract, '--dry-run'];
  const typed = await latchkey([...args, '--account', key]);
  expect([typed.code, typed.stderr.includes(key)]).toEqual([2, false]);
  const unknown = await latchkey([...args, '--admin', zeroAddress]);
  expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('cannot be read') });
  const both = await latchkey([...args, '--admin', zeroAddress, '--account', '5']);
  expect(both.code).toBe(2);
  expect((await latchkey([...args, '--account', '5'])).code).toBe(0);
  const env = { LATCHKEY_USAGE_KEY: await addUsageKey(key), XDG_CONFIG_HOME: join(home, 'other') };
  expect(await latchkey([...args, '--account', '5'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('an import needs the account key'),
  });
});
