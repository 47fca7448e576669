/** The rows of the table: each has a goal, and is explained in docs/performance.md. */
import type { Comparison } from '@latchkey/testing/measure';

/** Goal of a p99 beside an attack, divided by the p99 without it. */
export const MAX_P99_BESIDE = 3;

export type Goal = { text: string; isMet: (value: number) => boolean };
export type Unit = 'ms' | 'MB' | 's' | '%' | 'x' | '';

/** Values of a row are in the order of its goals. The last goal applies to all further values. */
export type Row = { what: string; unit: Unit; goals: [Goal, ...Goal[]] };

export const atMost = (limit: number): Goal => ({ text: `<= ${limit}`, isMet: (value) => value <= limit });
export const atLeast = (limit: number): Goal => ({ text: `>= ${limit}`, isMet: (value) => value >= limit });
const row = (what: string, unit: Unit, ...goals: [Goal, ...Goal[]]): Row => ({ what, unit, goals });

/** Concurrent clients of rows that measure throughput: one value each. */
export const CLIENTS = [1, 4, 16, 25];
const clients = CLIENTS.join(' / ');

export const rows = {
  firstStart: row('first start until healthy', 's', atMost(40)),
  secondStart: row('second start until healthy', 's', atMost(8)),
  idleCpu: row('idle: CPU of the stack, of one core', '%', atMost(3)),
  idleMemory: row('idle: memory of the stack', 'MB', atMost(900)),
  hello: row('run "hello", 3 a second: p50', 'ms', atMost(8)),
  sign: row('run that signs, 3 a second: p50 / p99', 'ms', atMost(14), atMost(40)),
  signatures: row('signature by key nodes, ed25519 / bip340: p50', 'ms', atMost(25)),
  signFunctions: row(
    'run with signMessage beside getPrivateKey and ethers, keys of nodes: p50',
    'x',
    atMost(1.2),
  ),
  runCpu: row('CPU time per run: hello / sign', 'ms', atMost(60), atMost(110)),
  helloRate: row(`hello runs a second beside \`deno run\`, ${clients} clients`, 'x', atLeast(0.6)),
  signRate: row(`sign runs a second beside \`deno run\`, ${clients} clients`, 'x', atLeast(0.35)),
  health: row('/health while 25 clients run actions: p95', 'ms', atMost(25)),
  list: row('list of 100 groups: p50', 'ms', atMost(1.5)),
  listRate: row(`lists a second beside bare Express, ${clients} clients`, 'x', atLeast(0.5)),
  write: row('write beside a raw send to its receipt: p50', 'x', atMost(1.6)),
  writeRate: row('writes a second by 8 clients beside raw sends', 'x', atLeast(0.7)),
  writeRateOf4Payers: row('the same with 4 payers', 'x', atLeast(0.9)),
  writeCpu: row('CPU time per write, with the chain', 'ms', atMost(25)),
  broadcast: row('write: accepted to broadcast, p50', 'ms', atMost(15)),
  send: row('send in a run beside a run that signs and sends by itself: p50', 'x', atMost(1.3)),
  sendRate: row('sends a second from one wallet, 16 senders', '', atLeast(200)),
  visible: row('log mined to visible in a list beside bare Ponder: p50', 'x', atMost(1.5)),
  writeMessages: row('RPC calls / statements per write', '', atMost(4), atMost(2)),
  sendMessages: row('RPC calls / statements per send in a run', '', atMost(10), atMost(6)),
  runMessages: row('RPC calls / statements per run', '', atMost(2), atMost(2)),
  listMessages: row('RPC calls / statements per list', '', atMost(0), atMost(0)),
  webhookRate: row('webhooks accepted a second, 16 senders, beside a bare server', 'x', atLeast(0.7)),
  webhookAccepted: row('webhook accepted, 16 senders: p95', 'ms', atMost(15)),
  webhookRunning: row('webhook to running, idle, beside insert and claim: p50', 'x', atMost(2)),
  bombEnd: row('bomb: limit exceeded to process gone, slowest', 'ms', atMost(250)),
  besideBombs: row(
    'hello beside bombs of another account: p99 over alone / failed requests',
    '',
    atMost(MAX_P99_BESIDE),
    atMost(0),
  ),
  besideAttacks: row(
    'hello / write / read beside each attack: highest p99 over alone; failed requests',
    '',
    atMost(MAX_P99_BESIDE),
    atMost(MAX_P99_BESIDE),
    atMost(MAX_P99_BESIDE),
    atMost(0),
  ),
  relayerMemory: row(
    'relayer memory: highest after the first attack over highest during it',
    'x',
    atMost(1.25),
  ),
  slotRunning: row('slot due to running: p50', 'ms', atMost(20)),
} satisfies Record<string, Row>;

export type RowName = keyof typeof rows;

/** Result of a benchmark. */
export type Measured = {
  values: Partial<Record<RowName, number[]>>;
  comparisons?: Comparison[];
  /** Failed requests of honest clients. */
  failures?: number;
};

export type Verdict = {
  what: string;
  measured: string;
  values: readonly number[];
  goal: string;
  verdict: 'met' | 'missed';
};

const format = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);

export const judge = (name: RowName, values: readonly number[]): Verdict => judgeRow(rows[name], values);

export function judgeRow({ what, unit, goals }: Row, values: readonly number[]): Verdict {
  const isMet = values.every((value, index) =>
    (goals[index] ?? goals[goals.length - 1] ?? goals[0]).isMet(value),
  );
  return {
    what,
    measured: `${values.map(format).join(' / ')} ${unit}`.trim(),
    values,
    goal: `${goals.map(({ text }) => text).join(' / ')} ${unit}`.trim(),
    verdict: isMet ? 'met' : 'missed',
  };
}
