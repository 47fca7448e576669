import { SealError } from '@latchkey/service/sealer';
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { type OpenTestDatabase, openTestDatabase } from '../../test/database.ts';
import { rootSecretsFrom } from '../keys/root-secrets.ts';
import {
  createStoredCodes,
  MAX_STORED_CODE_BYTES,
  MAX_STORED_CODES,
  type StoredCodes,
} from './stored-codes.ts';
import { hashText } from './text.ts';

const sealer = rootSecretsFrom(new Uint8Array(32).fill(1)).sealer('test');
const ACCOUNT = 7n;

let database: OpenTestDatabase;
let codes: StoredCodes;
beforeAll(async () => {
  database = await openTestDatabase();
  codes = createStoredCodes(database.db, sealer);
  return database.dispose;
});

const store = (
  cid: string,
  code: string,
  { account = ACCOUNT, replaces = undefined as bigint | undefined } = {},
) => codes.store(account, { cid, code, replaces });

test('the database has no code in clear, and a row of another account or CID does not open', async () => {
  await store('Qm1', 'function main() { return "a secret rule" }');
  const { rows } = (await database.db.execute(sql`select * from stored_codes`)) as { rows?: object[] };
  const text = JSON.stringify(rows);
  for (const part of ['secret rule', Buffer.from('secret rule').toString('hex')])
    expect(text).not.toContain(part);
  expect(text).toContain('Qm1');
  await database.db.execute(sql`
    insert into stored_codes select ${hashText(8n)}, cid, code, bytes from stored_codes;`);
  await expect(codes.find(8n, 'Qm1')).rejects.toThrow(SealError);
  await database.db.execute(sql`
    insert into stored_codes select account, 'Qm2', code, bytes from stored_codes where account = ${hashText(ACCOUNT)}`);
  await expect(codes.find(ACCOUNT, 'Qm2')).rejects.toThrow(SealError);
});

test('the newest version is the first in the list, also an earlier one that is published again', async () => {
  const account = 20n;
  const listed = async () => (await codes.list(account)).map(({ cid, replaces }) => [cid, replaces]);
  await store('Qm1', 'first', { account });
  await store('Qm2', 'second', { account, replaces: 1n });
  const before = await listed();
  expect(before).toEqual([
    ['Qm2', hashText(1n)],
    ['Qm1', null],
  ]);
  // A repeated request without the version before changes nothing.
  await store('Qm1', 'first', { account });
  expect(await listed()).toEqual(before);
  await store('Qm1', 'first', { account, replaces: 2n });
  await store('Qm2', 'second', { account });
  expect(await listed()).toEqual([
    ['Qm1', hashText(2n)],
    ['Qm2', hashText(1n)],
  ]);
});

test('an account stores a limited number of codes, and bytes in total', async () => {
  const account = 30n;
  await database.db.execute(sql`
    insert into stored_codes select ${hashText(account)}, 'Qm' || n, 'sealed', 1 from generate_series(1, ${MAX_STORED_CODES - 1}) n`);
  const results = await Promise.all(['a', 'b', 'c'].map((cid) => store(cid, 'code', { account })));
  expect(results.sort()).toEqual(['stored', 'too many codes', 'too many codes']);
  // One that is stored can be stored again.
  expect(await store('Qm1', 'code', { account })).toBe('stored');

  const long = 'x'.repeat(MAX_STORED_CODE_BYTES / 2);
  const full = 31n;
  const longs = await Promise.all(['a', 'b', 'c'].map((cid) => store(cid, long, { account: full })));
  expect(longs.sort()).toEqual(['stored', 'stored', 'too many bytes']);
  expect(await store('d', 'x', { account: full })).toBe('too many bytes');
  const [first] = await codes.list(full);
  expect(await codes.remove(full, first?.cid ?? '')).toBe(true);
  expect(await store('d', 'x', { account: full })).toBe('stored');
  // Another account has its own quota.
  expect(await store('d', 'x', { account: 32n })).toBe('stored');
});
