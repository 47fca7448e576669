/** Statements of the version before, timed while its database is migrated. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createTestDatabase } from './postgres.ts';

/** A client: its statements by name, which it sends one after another, again and again. */
export type Client = Record<string, () => Promise<unknown>>;

export type Filled = {
  clients: Client[];
  /** Counts and sums of the filled rows. */
  sum: () => Promise<unknown>;
  /** Resolves to how many acknowledged statements of the clients have no effect in the database. */
  countLost: () => Promise<number>;
};

type MigrationFigures = {
  /** Length of the migration. */
  seconds: number;
  /** The longest statement before the migration. */
  beforeMs: number;
  /** The longest statement from the start of the migration on, and its name. */
  longestMs: number;
  longest: string;
  statements: number;
  /** Statements that failed, with their errors. */
  failed: string[];
};

/** Also: rows, sums or acknowledged changes that the database does not have any more. */
export type Migrated = MigrationFigures & { lost: number };

/** Pause of a client after each statement: the server is busy, not full. */
const PAUSE_MS = 10;
/** The clients work for so long before the migration, and again after it. */
const AROUND_MS = 3_000;

/** Processes of the new version that start concurrently. */
const STARTS = 3;
/** Connections of the clients. */
export const CLIENTS = 6;

/** Creates an empty database, which `fill` fills as the version before does, and measures while processes of the new version `start`. */
export async function measureMigration(
  fill: (url: string, client: pg.Client, pool: pg.Pool) => Promise<Filled>,
  start: (url: string) => Promise<unknown>,
): Promise<Migrated> {
  await using database = await createTestDatabase();
  const { url } = database;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const pool = new pg.Pool({ connectionString: url, max: CLIENTS });
  try {
    const { clients, sum, countLost } = await fill(url, client, pool);
    const before = JSON.stringify(await sum());
    const figures = await whileMigrating(clients, () =>
      Promise.all(Array.from({ length: STARTS }, () => start(url))),
    );
    const changed = JSON.stringify(await sum()) === before ? 0 : 1;
    return { ...figures, lost: changed + (await countLost()) };
  } finally {
    await Promise.all([client.end(), pool.end()]);
  }
}

/** Runs the clients before, during and after the migration, and ends with the statements that they are in. */
async function whileMigrating(clients: Client[], migrate: () => Promise<unknown>): Promise<MigrationFigures> {
  const figures: MigrationFigures = {
    seconds: 0,
    beforeMs: 0,
    longestMs: 0,
    longest: '',
    statements: 0,
    failed: [],
  };
  const state = { hasBegun: false, isOver: false };
  async function time(name: string, run: () => Promise<unknown>): Promise<void> {
    const startedAt = performance.now();
    await run().catch((error: Error) => figures.failed.push(`${name}: ${error.message}`));
    const ms = performance.now() - startedAt;
    figures.statements++;
    if (!state.hasBegun) figures.beforeMs = Math.max(figures.beforeMs, ms);
    else if (ms > figures.longestMs) Object.assign(figures, { longestMs: ms, longest: name });
  }
  async function work(client: Client): Promise<void> {
    while (!state.isOver)
      for (const [name, run] of Object.entries(client)) {
        await time(name, run);
        await delay(PAUSE_MS);
      }
  }
  const working = Promise.all(clients.map(work));
  await delay(AROUND_MS);
  state.hasBegun = true;
  const startedAt = performance.now();
  try {
    await migrate();
    figures.seconds = (performance.now() - startedAt) / 1_000;
    await delay(AROUND_MS);
  } finally {
    state.isOver = true;
    await working;
  }
  return figures;
}
