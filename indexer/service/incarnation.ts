import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { accountConfigAbi } from '@latchkey/protocol';
import type { Hex } from 'viem';
import type { Config } from './config.ts';
import type { Sql } from './database.ts';
import { type Chain, STRIDE } from './follow.ts';

/** Blocks below the head that Ponder considers final on an unknown chain. */
const FINALITY_BLOCKS = 30n;
/** Time for which a node may lag behind the node that answered before the start. */
const LAG_DEADLINE_MS = 5_000;
const LAG_POLL_MS = 250;

const root = join(import.meta.dirname, '..');

/** Returns a hash of everything that determines the content of the tables: another hash needs other tables. */
function sourceHash(): string {
  const hash = createHash('sha256').update(JSON.stringify(accountConfigAbi));
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.startsWith('src/api/'));
  for (const file of ['ponder.config.ts', 'ponder.schema.ts', ...files.sort()]) {
    hash.update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** Returns the database schema of this code, contract and chain; the chain is identified by its first block. */
export function schemaName({ deployment }: Config, genesisHash: Hex): string {
  const identity = [genesisHash, deployment.address, deployment.startBlock, sourceHash()];
  return `latchkey_${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16)}`;
}

/** Resolves to true when the node has the block: Ponder refuses to start below its earlier final block. */
async function reaches(chain: Chain, block: bigint): Promise<boolean> {
  const deadline = Date.now() + LAG_DEADLINE_MS;
  while (BigInt((await chain.header('latest'))?.number ?? 0) < block) {
    if (Date.now() > deadline) return false;
    await setTimeout(LAG_POLL_MS);
  }
  return true;
}

/**
 * Resolves to true when Ponder's final block is still on the chain. Ponder stores no block hash, so anchors do: hashes of indexed heads.
 * Ponder has indexed at most one step more than the highest of them, and its final block is at least FINALITY_BLOCKS lower. An anchor
 * that is not below it proves by its hash all blocks up to it.
 */
async function isOnChain(sql: Sql, chain: Chain, chainId: number): Promise<boolean> {
  const { rows } = await sql.query<{ number: string; hash: Hex }>(
    'SELECT number::text, hash FROM latchkey_indexer.anchors WHERE chain_id = $1 ORDER BY anchors.number DESC',
    [chainId],
  );
  const highest = BigInt(rows[0]?.number ?? -1);
  if (highest < 0n || !(await reaches(chain, highest))) return false;
  for (const { number, hash } of rows) {
    if (BigInt(number) < highest + STRIDE - FINALITY_BLOCKS) return false;
    if ((await chain.header(BigInt(number)))?.hash === hash) return true;
  }
  return false;
}

/** Drops all tables of this chain id, and Ponder's cache of the chain's answers: both may belong to another chain. */
async function reset(sql: Sql, chainId: number, schemas: string[]): Promise<void> {
  for (const schema of schemas) await sql.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await sql.query('DROP SCHEMA IF EXISTS ponder_sync CASCADE');
  await sql.query('DELETE FROM latchkey_indexer.anchors WHERE chain_id = $1', [chainId]);
}

/**
 * Prepares the database for `schema`: keeps tables of this code whose blocks are still on the chain, and drops everything else of
 * this chain id. The caller must hold the database lock.
 * @returns True when earlier tables are kept.
 */
export async function prepareDatabase(
  sql: Sql,
  chain: Chain,
  chainId: number,
  schema: string,
): Promise<boolean> {
  await sql.query('CREATE SCHEMA IF NOT EXISTS latchkey_indexer');
  await sql.query(`CREATE TABLE IF NOT EXISTS latchkey_indexer.incarnations (
      chain_id bigint PRIMARY KEY, schema text NOT NULL)`);
  await sql.query(`CREATE TABLE IF NOT EXISTS latchkey_indexer.anchors (
      chain_id bigint, number bigint, hash text NOT NULL, PRIMARY KEY (chain_id, number))`);
  const { rows } = await sql.query<{ schema: string }>(
    'SELECT schema FROM latchkey_indexer.incarnations WHERE chain_id = $1',
    [chainId],
  );
  const previous = rows[0]?.schema;
  if (previous === schema && (await isOnChain(sql, chain, chainId))) return true;
  await reset(sql, chainId, previous === undefined ? [schema] : [previous, schema]);
  await sql.query(
    `INSERT INTO latchkey_indexer.incarnations VALUES ($1, $2)
     ON CONFLICT (chain_id) DO UPDATE SET schema = excluded.schema`,
    [chainId, schema],
  );
  return false;
}

/** Stores the hash of a block that Ponder indexed, see isOnChain. Call before Ponder gets another. */
export async function saveAnchor(
  sql: Sql,
  chainId: number,
  { number, hash }: { number: bigint; hash: Hex },
): Promise<void> {
  await sql.query(
    `WITH saved AS (
       INSERT INTO latchkey_indexer.anchors VALUES ($1, $2, $3)
       ON CONFLICT (chain_id, number) DO UPDATE SET hash = excluded.hash)
     DELETE FROM latchkey_indexer.anchors WHERE chain_id = $1 AND number <= $4`,
    [chainId, number.toString(), hash, (number - FINALITY_BLOCKS).toString()],
  );
}
