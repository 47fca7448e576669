import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';

const MAX_PAGE_SIZE = 1_000;
const DEFAULT_PAGE_SIZE = 100;
const MAX_HASHES = 100;
const MAX_U64 = 2n ** 64n - 1n;

export type Page = { limit: number; offset: number };

function refuse(message: string): never {
  throw new HTTPException(400, { message });
}

function integer(c: Context, name: string, fallback: number, min: number, max: number): number {
  const text = c.req.query(name);
  if (text === undefined) return fallback;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) refuse(`${name} must be an integer from ${min} to ${max}.`);
  return value;
}

/** Parses `page_number` from 0 and `page_size` from 1 to 1,000 (default 100). */
export function parsePage(c: Context): Page {
  const limit = integer(c, 'page_size', DEFAULT_PAGE_SIZE, 1, MAX_PAGE_SIZE);
  return { limit, offset: limit * integer(c, 'page_number', 0, 0, Number.MAX_SAFE_INTEGER / MAX_PAGE_SIZE) };
}

/** The place of a log in the chain. */
export type Place = { blockNumber: bigint; logIndex: number };

/** Parses `before`, the id of a change, and `page_size`. */
export function parseChangesPage(c: Context): { limit: number; before: Place | undefined } {
  const limit = integer(c, 'page_size', DEFAULT_PAGE_SIZE, 1, MAX_PAGE_SIZE);
  const text = c.req.query('before');
  if (text === undefined) return { limit, before: undefined };
  const [, blockNumber = '', logIndex] = /^(\d{1,16})-(\d{1,9})$/.exec(text) ?? [];
  if (logIndex === undefined) refuse('before must be the id of a change.');
  return { limit, before: { blockNumber: BigInt(blockNumber), logIndex: Number(logIndex) } };
}

/** Parses a hash in the path: 0x and 64 hex digits. */
export function parseHash(c: Context, name: string): bigint {
  const text = c.req.param(name) ?? '';
  if (!/^0x[0-9a-f]{64}$/i.test(text)) refuse(`${name} must be 0x and 64 hex digits.`);
  return BigInt(text);
}

/** Parses `hashes`: up to 100, comma-separated. */
export function parseHashes(c: Context): bigint[] {
  const texts = c.req.query('hashes')?.split(',') ?? [];
  if (texts.length === 0 || texts.length > MAX_HASHES) refuse(`hashes must list 1 to ${MAX_HASHES} hashes.`);
  if (!texts.every((text) => /^0x[0-9a-f]{64}$/i.test(text)))
    refuse('hashes must be a comma-separated list of 0x and 64 hex digits each.');
  return texts.map(BigInt);
}

/** Parses `group_id`, decimal or 0x, below 2^64; undefined when absent. */
export function parseGroupId(c: Context): bigint | undefined {
  const text = c.req.query('group_id');
  if (text === undefined) return undefined;
  const id = /^(\d{1,20}|0x[0-9a-f]{1,64})$/i.test(text) ? BigInt(text) : -1n;
  if (id < 0n || id > MAX_U64) refuse('group_id must be an unsigned 64-bit integer.');
  return id;
}
