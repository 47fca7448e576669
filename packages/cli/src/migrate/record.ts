/** The record of an import: what it has made, with the new keys. It is the only copy of them, and lets a repeated import continue. */
import { randomUUID } from 'node:crypto';
import { configPath, makePrivateFolder, readPrivate, writePrivate } from '@latchkey/command/private-files';
import { type Hex, keccak256, stringToBytes } from 'viem';
import { z } from 'zod';
import { CommandError } from '../errors.ts';

const recordSchema = z.strictObject({
  /** The start of the idempotency keys of its writes. */
  id: z.uuid(),
  /** Hash of the account at the other system. */
  account: z.string(),
  /** Addresses by those of the other system. */
  wallets: z.record(z.string(), z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])),
  /** CIDs that are registered. */
  actions: z.array(z.string()),
  /** Groups by the ids of those of the other system. Members are CIDs, and wallets of the other system. */
  groups: z.record(
    z.string(),
    z.strictObject({ groupId: z.string().regex(/^\d+$/), members: z.array(z.string()) }),
  ),
  /** Usage keys by the hashes of those of the other system. */
  keys: z.record(z.string(), z.strictObject({ name: z.string(), usageKey: z.string() })),
});
export type ImportRecord = z.infer<typeof recordSchema>;

/** Returns the path of the record of an import: from an account of a contract on a chain, to an account of a relayer. */
export function recordPath(parts: readonly (string | number | bigint)[]): string {
  const digest: Hex = keccak256(stringToBytes(JSON.stringify(parts.map(String))));
  return configPath(`import-${digest.slice(2, 18)}.json`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads the record, or returns a new one. Rejects for the record of another account with the same admin wallet. */
export async function readRecord(path: string, account: string): Promise<ImportRecord> {
  const text = await readPrivate(path);
  if (text === undefined)
    return { id: randomUUID(), account, wallets: {}, actions: [], groups: {}, keys: {} };
  const parsed = recordSchema.safeParse(parse(text));
  if (!parsed.success) throw new CommandError(`${path} is not the record of an import`, 'Move it away.');
  if (parsed.data.account === account) return parsed.data;
  throw new CommandError(
    `an import from this admin wallet began with the account ${parsed.data.account}`,
    `Give that hash, or move ${path} away, which has its new keys.`,
  );
}

export async function writeRecord(path: string, record: ImportRecord): Promise<void> {
  await makePrivateFolder(path);
  await writePrivate(path, `${JSON.stringify(record, null, 2)}\n`);
}
