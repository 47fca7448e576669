/** Secrets of accounts, encrypted by their clients, and the record of who set, read and deleted them. */
import { rowsOf } from '@latchkey/service/rows';
import { and, asc, desc, eq, lt, type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { inTurn } from './in-turn.ts';
import { secretEvents, secrets } from './schema.ts';

/** Names with a secret per account. */
export const MAX_SECRETS = 100;
/** Stored versions per name. */
export const MAX_SECRET_VERSIONS = 10;

/** Of an account, as text. */
type OfSecret = { account: string; name: string };
/** A ciphertext, with the address of its wallet. */
export type StoredSecret = { version: number; wallet: string; ciphertext: Uint8Array };

export type SetResult = 'set' | 'busy' | 'older' | 'too many secrets' | 'too many versions';

type NewSecret = OfSecret &
  StoredSecret & {
    walletPublicKey: string | undefined;
    /** Hash of a key or admin wallet. */
    caller: string;
  };

/** Stores a new version. Repeating the call is a success. */
export const setSecret = (
  db: Database,
  { account, name, version, wallet, walletPublicKey, ciphertext, caller }: NewSecret,
): Promise<SetResult> =>
  // For the limits and the order of versions.
  inTurn(db, `secrets ${account}`, async (tx) => {
    const isNamed = sql`${secrets.name} = ${name}`;
    const isSame = sql`${secrets.version} = ${version} and ${secrets.wallet} = ${wallet} and ${secrets.ciphertext} = ${Buffer.from(ciphertext)}`;
    const [found] = await tx
      .select({
        others: sql<number>`count(distinct ${secrets.name}) filter (where not ${isNamed})::int`,
        versions: sql<number>`count(*) filter (where ${isNamed})::int`,
        newest: sql<string>`coalesce(max(${secrets.version}) filter (where ${isNamed}), 0)`,
        isStored: sql<boolean>`coalesce(bool_or(${isNamed} and ${isSame}), false)`,
      })
      .from(secrets)
      .where(eq(secrets.account, account));
    if (!found) throw new Error('an aggregate has one row');
    if (found.isStored) return 'set';
    if (version <= Number(found.newest)) return 'older';
    if (found.versions >= MAX_SECRET_VERSIONS) return 'too many versions';
    if (found.versions === 0 && found.others >= MAX_SECRETS) return 'too many secrets';
    await tx.insert(secrets).values({ account, name, version, wallet, walletPublicKey, ciphertext });
    await tx.insert(secretEvents).values({ account, name, event: 'set', version, caller });
    return 'set';
  });

/** Deletes a version, without one all. Resolves to false when there was none. */
export const deleteSecret = (
  db: Database,
  { account, name, version, caller }: OfSecret & { version: number | undefined; caller: string },
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const isOne = version === undefined ? undefined : eq(secrets.version, version);
    const deleted = await tx
      .delete(secrets)
      .where(and(isOf({ account, name }), isOne))
      .returning({ version: secrets.version });
    if (deleted.length === 0) return false;
    await tx.insert(secretEvents).values({ account, name, event: 'delete', version, caller });
    return true;
  });

/** Resolves to all versions of all secrets of an account, without their ciphertexts. */
export const listSecrets = (db: Database, account: string) =>
  db
    .select({
      name: secrets.name,
      version: secrets.version,
      wallet: secrets.wallet,
      walletPublicKey: secrets.walletPublicKey,
      setAt: secrets.setAt,
      lastReadAt: secrets.lastReadAt,
    })
    .from(secrets)
    .where(eq(secrets.account, account))
    .orderBy(asc(secrets.name), desc(secrets.version));

/** Resolves to events of a secret, newest first, before the event with this id. */
export const listSecretEvents = (
  db: Database,
  secret: OfSecret,
  { before, limit }: { before: number | undefined; limit: number },
) =>
  db
    .select()
    .from(secretEvents)
    .where(
      and(
        eq(secretEvents.account, secret.account),
        eq(secretEvents.name, secret.name),
        before === undefined ? undefined : lt(secretEvents.id, before),
      ),
    )
    .orderBy(desc(secretEvents.id))
    .limit(limit);

/** The run that asks for a secret. `recorded`: the versions of it whose read by the run is recorded. */
export type SecretReader = { caller: string; cid: string; runId: string; recorded: number[] };

/**
 * Resolves to a version of a secret, without one to the newest, and records in the same statement that the run asked for it, unless that is
 * recorded. Undefined when there is none.
 */
export async function readSecret(
  db: Database,
  { account, name }: OfSecret,
  version: number | undefined,
  { caller, cid, runId, recorded }: SecretReader,
): Promise<StoredSecret | undefined> {
  const isOne = version === undefined ? sql`` : sql`and version = ${version}`;
  const [row] = await rowsOf<{ version: string; wallet: string; ciphertext: Uint8Array }>(
    db,
    sql`
    with found as (
      select account, name, version, wallet, ciphertext from secrets
      where account = ${account} and name = ${name} ${isOne}
      order by version desc limit 1
    ), used as (
      update secrets set last_read_at = now() from found
      where secrets.account = found.account and secrets.name = found.name and secrets.version = found.version
        and (last_read_at is null or last_read_at < now() - interval '1 minute')
    ), recorded as (
      insert into secret_events (account, name, event, version, caller, cid, run_id)
      select account, name, 'read', version, ${caller}, ${cid}, ${runId} from found
      where version <> all (${sql.param(recorded)}::bigint[])
    )
    select version, wallet, ciphertext from found`,
  );
  return row && { ...row, version: Number(row.version) };
}

const isOf = ({ account, name }: OfSecret): SQL | undefined =>
  and(eq(secrets.account, account), eq(secrets.name, name));
