/** The plans by which PostgreSQL executes the statements of some work, with those inside functions of the database. */
import { type DatabaseOf, databaseOf } from '@latchkey/service/transactions';
import pg from 'pg';

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Index Searches'?: number;
  Plans?: Node[];
};

export type Plan = {
  statement: string;
  /** Rows that it returned or changed. */
  returned: number;
  /** Rows and index searches that it needed. */
  read: number;
  /** Tables that it read from the first row to the last. */
  scanned: string[];
  indexes: string[];
};

const PREFIX = /^duration: [\d.]+ ms {2}plan:\n/;
/** auto_explain is part of every PostgreSQL. */
const SETTINGS = `
  load 'auto_explain';
  set auto_explain.log_min_duration = 0;
  set auto_explain.log_analyze = on;
  set auto_explain.log_timing = off;
  set auto_explain.log_nested_statements = on;
  set auto_explain.log_format = json;
  set client_min_messages = log`;

function flatten(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

function readPlan(text: string): Plan {
  const { 'Query Text': statement, Plan: top } = JSON.parse(text) as { 'Query Text': string; Plan: Node };
  const nodes = flatten(top);
  const scans = nodes.filter((node) => node['Node Type'].includes('Scan') && !node.Plans?.length);
  const readBy = (node: Node) =>
    node['Actual Loops'] *
      (node['Actual Rows'] +
        (node['Rows Removed by Filter'] ?? 0) +
        (node['Rows Removed by Index Recheck'] ?? 0)) +
    (node['Index Searches'] ?? 0);
  const source = top['Node Type'] === 'ModifyTable' ? top.Plans?.[0] : top;
  return {
    statement,
    returned: (source?.['Actual Rows'] ?? 0) * (source?.['Actual Loops'] ?? 0),
    read: scans.reduce((sum, node) => sum + readBy(node), 0),
    scanned: scans.flatMap((node) =>
      node['Node Type'] === 'Seq Scan' && node['Actual Loops'] > 0 ? (node['Relation Name'] ?? []) : [],
    ),
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
  };
}

/** Rows that a statement may read for each that it returns. */
const MAX_READ = 20;

/** Throws when a statement reads a big table as a whole, or more than 20 rows for each that it returns or changes. */
export function expectNarrow(plans: readonly Plan[], big: readonly string[]): void {
  for (const { statement, returned, read, scanned, indexes } of plans) {
    const scan = scanned.find((table) => big.includes(table));
    const what = scan === undefined ? `${read} rows for ${returned}` : `the whole table ${scan}`;
    if (scan !== undefined || read > MAX_READ * Math.max(1, returned))
      throw new Error(`reads ${what}, by ${indexes.join() || 'no index'}: ${statement}`);
  }
}

export type WatchedPlans<S extends Record<string, unknown>> = AsyncDisposable & {
  db: DatabaseOf<S>;
  plansOf: (work: () => Promise<unknown>) => Promise<Plan[]>;
};

/** Returns a database of one connection, and a function that resolves to the plans of the statements of some work on it. */
export function watchPlans<S extends Record<string, unknown>>(url: string, schema: S): WatchedPlans<S> {
  const plans: Plan[] = [];
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('connect', (client) => {
    // The first statement of the connection, which rejects with the same error.
    client.query(SETTINGS).catch(() => {});
    client.on('notice', ({ message = '' }) => {
      if (PREFIX.test(message)) plans.push(readPlan(message.replace(PREFIX, '')));
    });
  });
  return {
    db: databaseOf(pool, schema),
    async plansOf(work) {
      plans.length = 0;
      await work();
      return [...plans];
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
