/** The commands `archive` and `verify` of `npm run credit`. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RECEIPT_SIGNER_CONFIGURATION } from '@latchkey/protocol';
import { readDeployment } from '@latchkey/service/deployment';
import { type Address, getAddress, isAddress } from 'viem';
import { ArchiveError, archive } from './billing/archives/archive.ts';
import { LedgerDifference } from './billing/archives/entries.ts';
import { createSigner } from './billing/archives/signed-texts.ts';
import { BusyError, exclusively } from './billing/archives/store.ts';
import { verify } from './billing/archives/verify.ts';
import type { AccountConfig } from './chain/account-config.ts';
import { UsageError } from './command-line.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { openRootSecrets, rootSecretPath } from './keys/root-secrets.ts';

type Options = { dir?: string | undefined; remove: boolean; signer: string[] };
type Work = (db: Database) => Promise<number>;

/** Runs work that no two processes do concurrently. Resolves to its exit code, or 2 when it cannot be done. */
const alone = async (db: Database, work: () => Promise<number>): Promise<number> => {
  try {
    return await exclusively(db, work);
  } catch (error) {
    const isExpected = [ArchiveError, LedgerDifference, BusyError].some((type) => error instanceof type);
    if (!isExpected) throw error;
    console.error((error as Error).message);
    return 2;
  }
};

function requireDirectory(dir: string | undefined): string {
  if (dir === undefined) throw new UsageError('--dir: required');
  return dir;
}

export async function archiving(
  { chain, deploymentsDir, dataDir, secrets }: Config,
  { dir, remove }: Options,
): Promise<Work> {
  const directory = requireDirectory(dir);
  const { chainId, address } = readDeployment(deploymentsDir, chain.chainId);
  const path = rootSecretPath(dataDir);
  if (secrets.rootSecret === undefined && !existsSync(path))
    throw new UsageError(
      `${path} does not exist: set DATA_DIR or ROOT_SECRET to that of a relayer, whose key of receipts signs`,
    );
  const { receiptSigningKey } = await openRootSecrets({ dataDir, secrets });
  const signer = createSigner(receiptSigningKey);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return (db) =>
    alone(db, async () => {
      const options = { directory, signer, deployment: { chainId, address }, isRemoving: remove };
      const onStep = (month: string, step: string) => {
        if (step !== 'removed rows') console.log(`${month}: ${step}`);
      };
      const { archived, removed } = await archive(db, { ...options, onStep });
      for (const { file, entries, accounts } of archived)
        console.log(`${join(directory, file)}: ${entries} entries of ${accounts} accounts`);
      if (archived.length === 0)
        console.log('no further month can be closed: a month is closed 35 days after its end');
      else console.log(`signed by ${signer.address}`);
      if (remove) console.log(`removed ${removed} ended reserves of archived months from the database`);
      return 0;
    });
}

const PROGRESS_MS = 2_000;

export async function verifying(
  { chain, deploymentsDir }: Config,
  { dir, signer: given }: Options,
  views: Pick<AccountConfig, 'read'>,
): Promise<Work> {
  const directory = requireDirectory(dir);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--dir: there is no directory ${directory}`);
  const { chainId, address } = readDeployment(deploymentsDir, chain.chainId);
  const published = await views.read('nodeConfigurationValue', [RECEIPT_SIGNER_CONFIGURATION]);
  const signers = [published, ...given].filter((text) => text !== '').map(toSigner);
  return (db) =>
    alone(db, async () => {
      let differences = 0;
      let toldAt = Date.now();
      const { months, accounts, entries } = await verify(db, {
        directory,
        signers,
        deployment: { chainId, address },
        onDifference(difference) {
          differences++;
          console.log(difference);
        },
        onProgress(counts) {
          if (Date.now() - toldAt < PROGRESS_MS) return;
          toldAt = Date.now();
          console.error(`compared ${counts.entries} entries of ${counts.accounts} accounts`);
        },
      });
      console.log(
        `${months} archived months, ${accounts} accounts, ${entries} entries, ${differences} differences`,
      );
      return differences === 0 ? 0 : 1;
    });
}

function toSigner(text: string): Address {
  if (!isAddress(text, { strict: false })) throw new UsageError(`--signer: ${text} is not an address`);
  return getAddress(text.toLowerCase());
}
