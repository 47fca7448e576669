/** The rules for the migrations of a service: each function of the database has one file, and applied files stay as they are. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Entry = { idx: number; when: number; tag: string; sha256?: string };
/** A function of the database: its name and what is between its `$$`. */
type Defined = { name: string; body: string };

const DEFINITION = /^CREATE OR REPLACE FUNCTION "?(?:\w+"?\."?)?(\w+)"?\([\s\S]*?AS \$\$([\s\S]*?)\$\$/gm;
const CHANGED = `A migration differs from its sha256 in meta/_journal.json. If it is new, add the sha256 above. If it was applied, do not
change it: databases that have it would stay as they are. A changed function moves to the end: give its file the next number, and its entry in
the journal the next idx, the time in milliseconds as when, and the sha256 above.`;

/** Statements under which processes of the version before fail, and an INSERT of theirs without a new column. */
const TAKES_AWAY =
  /^\s*(ALTER|DROP)\b.*\b(DROP|RENAME|SET NOT NULL|SET DATA TYPE|TYPE)\b|^\s*DROP\b|ADD COLUMN(?!.*\bDEFAULT\b).*\bNOT NULL\b/im;
/** Databases from before this time are of no release. */
const FIRST_RELEASE_MS = Date.UTC(2026, 10, 29);
/** First line of a migration that drops something that the version before has stopped using. */
const UNUSED = '-- The version before does not use what this takes away.';

/** A migrated database. */
type Migrated = AsyncDisposable & { db: { execute: (query: string) => PromiseLike<unknown> } };

/** Declares tests of the migrations in a folder, whose functions are in this schema of the database. */
export function testMigrations(folder: URL, schema: string, open: () => Promise<Migrated>): void {
  const read = (path: string) => readFileSync(new URL(path, `${folder.href}/`), 'utf8');
  const entries: Entry[] = JSON.parse(read('meta/_journal.json')).entries;
  const files = entries.map(({ tag }) => ({ tag, sql: read(`${tag}.sql`) }));

  test('no migration changes after it was added to the journal', () => {
    const hash = (sql: string) => createHash('sha256').update(sql).digest('hex');
    expect(Object.fromEntries(entries.map(({ tag, sha256 }) => [tag, sha256])), CHANGED).toEqual(
      Object.fromEntries(files.map(({ tag, sql }) => [tag, hash(sql)])),
    );
  });

  test('the journal has every file, in the order of its numbers and times', () => {
    const numbers = entries.map(({ tag }) => Number(tag.slice(0, 4)));
    expect(numbers).toEqual(entries.map(({ idx }) => idx));
    for (const order of [numbers, entries.map(({ when }) => when)])
      expect(order).toEqual([...new Set(order)].sort((a, b) => a - b));
    expect(readdirSync(folder).sort()).toEqual([...entries.map(({ tag }) => `${tag}.sql`), 'meta']);
  });

  test('only the last snapshot of the tables is kept', () => {
    const snapshots = readdirSync(new URL('meta', `${folder.href}/`)).filter(
      (name) => name !== '_journal.json',
    );
    expect(snapshots).toHaveLength(1);
  });

  test('a migration takes nothing away that the version before uses, so that it can be rolled back', () => {
    const later = files.filter((_, index) => (entries[index]?.when ?? 0) > FIRST_RELEASE_MS);
    const found = later.filter(({ sql }) => TAKES_AWAY.test(sql) && !sql.startsWith(UNUSED));
    expect(
      found.map(({ tag }) => tag),
      `Drop it in a later version, in a migration that begins with:\n${UNUSED}`,
    ).toEqual([]);
  });

  test.each([
    'ALTER TABLE "runs" DROP COLUMN "a";',
    'ALTER TABLE "runs" RENAME COLUMN "a" TO "b";',
    'ALTER TABLE "runs" ALTER COLUMN "a" SET NOT NULL;',
    'ALTER TABLE "runs" ALTER COLUMN "a" SET DATA TYPE bigint;',
    'ALTER TABLE "runs" ADD COLUMN "a" integer NOT NULL;',
    'DROP TABLE "runs";',
    'DROP FUNCTION begin_run;',
  ])('%s takes something away', (sql) => {
    expect(sql).toMatch(TAKES_AWAY);
  });

  test('a new table, function, index or column with a default takes nothing away', () => {
    const adds = [
      'CREATE TABLE "a" ("b" integer NOT NULL);',
      'ALTER TABLE "a" ADD COLUMN "b" integer DEFAULT 0 NOT NULL;',
    ];
    for (const sql of [
      ...adds,
      'CREATE INDEX "c" ON "a" ("b");',
      'CREATE OR REPLACE FUNCTION f() RETURNS void',
    ])
      expect(sql).not.toMatch(TAKES_AWAY);
  });

  test('each function of the database has one file, with the definition that is in force', async () => {
    const defined = files.flatMap(({ tag, sql }) =>
      [...sql.matchAll(DEFINITION)].map(([, name = '', body = '']) => ({ tag, name, body })),
    );
    expect(defined.map(({ tag }) => tag.slice(5))).toEqual(defined.map(({ name }) => name));
    const byName = (a: Defined, b: Defined) => (a.name < b.name ? -1 : 1);
    await using database = await open();
    const { db } = database;
    const inForce = `select proname as name, prosrc as body from pg_proc where pronamespace = '${schema}'::regnamespace`;
    const { rows } = (await db.execute(inForce)) as { rows: Defined[] };
    expect(defined.map(({ name, body }) => ({ name, body })).sort(byName)).toEqual(rows.toSorted(byName));
  });
}
