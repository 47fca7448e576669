/** `npm run credit -- archive` and `verify` as processes. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bundle } from '@latchkey/bundle';
import { accountConfigAbi, RECEIPT_SIGNER_CONFIGURATION } from '@latchkey/protocol';
import { type Chain, DEPLOYER_KEY, deploy, startChain } from '@latchkey/testing/chain';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { busy, type OldLedger, openOldLedger } from '../test/old-ledger.ts';
import { hashText } from './db/text.ts';
import { openRootSecrets } from './keys/root-secrets.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const resources = new AsyncDisposableStack();
let chain: Chain;
let contract: Address;
let deployments: string;
let data: string;
let ledger: OldLedger;

beforeAll(async () => {
  chain = resources.use(await startChain());
  deployments = resources.use(temporaryDirectory()).path;
  data = resources.use(temporaryDirectory()).path;
  contract = await deploy(chain, deployments);
  ledger = resources.use(await openOldLedger());
});
afterAll(() => resources.disposeAsync());

async function credit(...args: string[]) {
  const child = spawn(process.execPath, [await bundle('relayer/src/credit.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      RPC_URL: chain.url,
      DEPLOYMENTS_DIR: deployments,
      DATA_DIR: data,
      DATABASE_URL: ledger.url,
    },
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [code, out, err] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

test('archives, removes and verifies; the published signer and given ones are trusted', async () => {
  const directory = join(ledger.directory, 'archives');
  const dir = ['--dir', directory];
  expect(await credit('archive')).toMatchObject({ code: 2, err: expect.stringMatching(/^--dir: required/) });
  expect(await credit('verify', ...dir)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^--dir: there is no directory/),
  });
  // A new key would be no relayer's: its signatures would not be trusted.
  const without = await credit('archive', ...dir);
  expect(without).toMatchObject({ code: 2, err: expect.stringMatching(/root-secret\.json does not exist/) });
  await openRootSecrets({ dataDir: data, secrets: { rootSecretPassphrase: 'local' } });

  const made = await credit('archive', ...dir);
  expect(made).toMatchObject({ code: 0, err: '' });
  const signer = /signed by (0x\w{40})/.exec(made.out)?.[1] ?? '';
  expect(made.out).toMatch(/ledger-\d{4}-\d\d\.csv\.gz: \d+ entries of 3 accounts/);
  expect(await credit('archive', ...dir)).toMatchObject({
    code: 0,
    out: 'no further month can be closed: a month is closed 35 days after its end\n',
  });

  const untrusted = await credit('verify', ...dir);
  expect(untrusted).toMatchObject({ code: 1, out: expect.stringContaining('no trusted signer') });
  const given = await credit('verify', ...dir, '--signer', signer.toLowerCase());
  expect(given).toMatchObject({ code: 0, out: expect.stringMatching(/, 0 differences\n$/) });
  expect(await credit('verify', ...dir, '--signer', '0x12')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^--signer: 0x12 is not an address/),
  });
  const hash = await chain.client.writeContract({
    address: contract,
    abi: accountConfigAbi,
    functionName: 'setNodeConfiguration',
    args: [RECEIPT_SIGNER_CONFIGURATION, signer],
    account: privateKeyToAccount(DEPLOYER_KEY),
    chain: foundry,
  });
  await chain.client.waitForTransactionReceipt({ hash });

  const removed = await credit('archive', ...dir, '--remove');
  expect(removed.out).toMatch(/removed [1-9]\d* ended reserves/);
  expect(await credit('verify', ...dir)).toMatchObject({ code: 0 });
  await ledger.db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(
      sql`update ledger_closings set captured = captured + 1 where account = decode(${hashText(busy).slice(2)}, 'hex')`,
    );
  });
  expect(await credit('verify', ...dir)).toMatchObject({
    code: 1,
    out: expect.stringMatching(new RegExp(`^${hashText(busy)} \\d{4}-\\d\\d: no trusted signer`)),
  });
});
