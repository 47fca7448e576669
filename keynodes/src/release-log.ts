/** The log of this node's releases, in SQLite. Entries of one subject, usually a derivation path, are a chain of hashes. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  hashOfEntry,
  type KeyRequest,
  NO_ENTRY,
  type ReleaseEntry,
  releaseEntry,
} from '@latchkey/key-protocol';
import type { KeyRequest as Evaluation } from '@latchkey/threshold';

/** Maximum number of entries per prune, so that it does not delay releases. */
const MAX_PRUNED = 5_000;

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  -- A commit survives the end of the process. A power failure loses the commits that the kernel has not written yet.
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS heads (subject TEXT PRIMARY KEY, sequence INTEGER NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS entries (
    subject TEXT NOT NULL, sequence INTEGER NOT NULL, time INTEGER NOT NULL, entry TEXT NOT NULL,
    PRIMARY KEY (subject, sequence)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS entries_by_time ON entries (time);
`;

type Head = { sequence: number; hash: string };
/** Entries of a path, newest first, as the texts that the chain hashes. `first` is the oldest one that is kept. */
type LogPage = Head & { first: number; entries: string[] };

export type ReleaseLog = {
  /** Stores a release. Throws when it cannot: then nothing may be released. */
  append: (request: KeyRequest, decided: { evaluation: Evaluation; block: bigint }) => void;
  read: (path: bigint, page: { before: number | null; limit: number }) => LogPage;
  /** Deletes entries from before this time, at most `MAX_PRUNED` of them. The numbers and hashes of the others stay. */
  prune: (beforeMs: number) => void;
  close: () => void;
};

export function openReleaseLog(directory: string): ReleaseLog {
  const db = new DatabaseSync(join(directory, 'releases.sqlite'));
  db.exec(SCHEMA);
  const findHead = db.prepare('SELECT sequence, hash FROM heads WHERE subject = ?');
  const setHead = db.prepare(
    'INSERT INTO heads VALUES (?1, ?2, ?3) ON CONFLICT (subject) DO UPDATE SET sequence = ?2, hash = ?3',
  );
  const insert = db.prepare('INSERT INTO entries VALUES (?, ?, ?, ?)');
  const findFirst = db.prepare('SELECT min(sequence) AS first FROM entries WHERE subject = ?');
  const list = db.prepare(
    'SELECT entry FROM entries WHERE subject = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?',
  );
  const removeOld = db.prepare(
    'DELETE FROM entries WHERE (subject, sequence) IN (SELECT subject, sequence FROM entries WHERE time < ? ORDER BY time LIMIT ?)',
  );
  const headOf = (subject: string): Head =>
    (findHead.get(subject) as Head | undefined) ?? { sequence: 0, hash: NO_ENTRY };

  return {
    append(request, { evaluation, block }) {
      const subject = subjectOf(request, evaluation);
      db.exec('BEGIN');
      try {
        const { sequence, hash: previous } = headOf(subject);
        const entry = entryOf(request, { sequence: sequence + 1, previous, block: Number(block) });
        const text = JSON.stringify(entry);
        insert.run(subject, entry.sequence, entry.time, text);
        setHead.run(subject, entry.sequence, hashOfEntry(text));
        db.exec('COMMIT');
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
    read(path, { before, limit }) {
      const subject = subjectOfPath(path);
      const { sequence, hash } = headOf(subject);
      const { first } = findFirst.get(subject) as { first: number | null };
      const rows = list.all(subject, before ?? sequence + 1, limit) as { entry: string }[];
      return { sequence, hash, first: first ?? sequence + 1, entries: rows.map(({ entry }) => entry) };
    },
    prune: (beforeMs) => void removeOld.run(beforeMs, MAX_PRUNED),
    close: () => db.close(),
  };
}

const subjectOfPath = (path: bigint): string => `path ${path}`;

function subjectOf({ statement: { purpose } }: KeyRequest, evaluation: Evaluation): string {
  if (evaluation.kind === 'wallet' || evaluation.kind === 'wallet-address')
    return subjectOfPath(evaluation.path);
  if ('usageKeyHash' in purpose) return `usage key ${purpose.usageKeyHash}`;
  if ('path' in purpose) return `usage key path ${purpose.path}`;
  throw new Error(`nothing is released for ${purpose.kind}`);
}

function entryOf(
  { statement, runner, relayer }: KeyRequest,
  of: Pick<ReleaseEntry, 'sequence' | 'previous' | 'block'>,
): ReleaseEntry {
  const { id, purpose, run } = statement;
  const ofRun = 'usageKeyHash' in purpose ? purpose : { usageKeyHash: null, cid: null };
  const { usageKeyHash, cid } = ofRun;
  const wallet = 'wallet' in purpose ? purpose.wallet : null;
  // The schema fixes the order of the members, which the hash covers.
  return releaseEntry.parse({
    version: 1,
    time: Date.now(),
    kind: purpose.kind,
    usageKeyHash,
    cid,
    wallet,
    run,
    statement: id,
    runner,
    relayer,
    ...of,
  });
}
