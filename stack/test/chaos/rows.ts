/** The outages, one per row of the table. */
import type { Cluster } from './cluster.ts';
import {
  ended,
  expensiveBlocks,
  foreignTransactions,
  full,
  inTurn,
  lostReplies,
  type Outage,
  postgresKills,
  readOnly,
  reorgs,
  together,
  upgrades,
  walletsOf,
} from './outages.ts';
import type { Kind, TrafficOptions } from './traffic.ts';

export type Row = Partial<TrafficOptions> & {
  name: string;
  outage: Outage;
  /** Why code may begin twice in this row; undefined when it may not. */
  mayExecuteTwice?: string;
  /** Kinds of the units, in turn. */
  kinds?: readonly Kind[];
  /** So many senders send the units as fast as the service takes them, and the outage ends with the last one. */
  senders?: number;
  /** The cluster begins with the version of --from. */
  isFromOther?: boolean;
};

const KILLED =
  'a process is killed between the start of the code and its record (docs/relayer.md, Assumptions)';
const CUT = 'a run that is longer than DRAIN_TIMEOUT_SEC is ended and repeated (docs/relayer.md, Stop)';

const firstOf = (part: 'relayers' | 'triggers' | 'runners') => (cluster: Cluster) =>
  cluster[part].slice(0, 1);
const allOf = (part: 'relayers' | 'triggers' | 'runners') => (cluster: Cluster) => cluster[part];
const LOST_SHARE = 20;

export const rows: Row[] = [
  { name: 'relayer-database-read-only', outage: readOnly('relayer'), runMs: 1_500 },
  { name: 'relayer-database-full', outage: full('relayer'), runMs: 1_500 },
  { name: 'triggers-database-read-only', outage: readOnly('triggers') },
  { name: 'triggers-database-full', outage: full('triggers') },
  {
    name: 'postgres-killed',
    outage: { start: ({ postgres }) => postgres.kill(), stop: ({ postgres }) => postgres.restart() },
    runMs: 1_500,
  },
  {
    name: 'postgres-frozen',
    outage: { start: ({ postgres }) => postgres.freeze(), stop: ({ postgres }) => postgres.thaw() },
    runMs: 1_500,
  },
  { name: 'relayers-stopped', outage: ended(allOf('relayers'), 'SIGTERM') },
  {
    name: 'relayer-killed',
    outage: ended(firstOf('relayers'), 'SIGKILL'),
    runMs: 1_500,
    mayExecuteTwice: KILLED,
  },
  {
    name: 'runner-killed',
    outage: {
      async start({ runners, relayers }) {
        await runners[0]?.stop('SIGKILL');
        await relayers[0]?.stop('SIGTERM');
        await relayers[0]?.start();
      },
      stop: async ({ runners }) => runners[0]?.start(),
    },
    runMs: 1_500,
    mayExecuteTwice: KILLED,
  },
  {
    name: 'runners-crash',
    outage: inTurn(allOf('runners'), 'SIGKILL', 5_000),
    runMs: 3_000,
    mayExecuteTwice: KILLED,
  },
  {
    name: 'relayers-deployed',
    outage: inTurn(allOf('relayers'), 'SIGTERM', 1_000),
    runMs: 4_000,
    mayExecuteTwice: CUT,
  },
  {
    name: 'triggers-deployed',
    outage: inTurn(allOf('triggers'), 'SIGTERM', 1_000),
    runMs: 1_500,
  },
  {
    name: 'triggers-killed',
    outage: inTurn(allOf('triggers'), 'SIGKILL', 3_000),
    runMs: 1_500,
  },
  {
    name: 'drain-kills',
    outage: together(
      inTurn(allOf('relayers'), 'SIGKILL', 20_000),
      // The leases of a killed process last for 30 s, and count against the concurrent runs of the account.
      inTurn(allOf('triggers'), 'SIGKILL', 60_000),
      postgresKills(60_000),
    ),
    runMs: 0,
    kinds: ['webhook'],
    senders: 40,
    mayExecuteTwice: KILLED,
  },
  { name: 'upgraded-and-rolled-back', outage: upgrades(), runMs: 1_500, isFromOther: true },
  {
    name: 'key-node-frozen',
    outage: {
      start: ({ keyNodes }) => void keyNodes.frozen.add(0),
      stop: ({ keyNodes }) => void keyNodes.frozen.delete(0),
    },
    write: 'create_wallet',
  },
  {
    name: 'rpc-node-dead',
    outage: {
      start: ({ nodes }) => void Object.assign(nodes.first, { broken: true }),
      stop: ({ nodes }) => void Object.assign(nodes.first, { broken: false }),
    },
  },
  { name: 'rpc-replies-lost', outage: lostReplies(LOST_SHARE) },
  { name: 'base-fee-times-10', outage: expensiveBlocks() },
  { name: 'reorg-1-dropped', outage: reorgs(1, false, 2_000) },
  { name: 'reorg-5-dropped', outage: reorgs(5, false, 5_000) },
  { name: 'reorg-5-kept', outage: reorgs(5, true, 5_000) },
  { name: 'reorg-32-dropped', outage: reorgs(32, false, 10_000) },
  { name: 'reorg-32-kept', outage: reorgs(32, true, 10_000) },
  { name: 'payer-used-elsewhere', outage: foreignTransactions(1_000) },
  {
    name: 'writes-in-everything',
    outage: together(
      inTurn(allOf('relayers'), 'SIGKILL', 6_000),
      lostReplies(LOST_SHARE),
      foreignTransactions(2_000),
      expensiveBlocks({ maxReorg: 32 }),
    ),
    kinds: ['write'],
    senders: 120,
  },
  {
    name: 'sends-in-everything',
    outage: together(
      inTurn(allOf('relayers'), 'SIGKILL', 20_000),
      inTurn(allOf('runners'), 'SIGKILL', 45_000),
      inTurn(allOf('triggers'), 'SIGKILL', 60_000),
      postgresKills(90_000),
      lostReplies(LOST_SHARE),
      foreignTransactions(5_000, walletsOf),
      expensiveBlocks({ maxReorg: 12, times: 3n, waveBlocks: 40 }),
      expensiveBlocks({ maxReorg: 12, times: 3n, waveBlocks: 40, chain: 'otherChain' }),
    ),
    kinds: ['webhook', 'run', 'send', 'webhook', 'run'],
    sendingTriggers: 12,
    senders: 40,
    mayExecuteTwice: KILLED,
  },
  {
    name: 'trigger-node-dead',
    outage: {
      start: ({ nodes }) => void Object.assign(nodes.triggers, { broken: true }),
      stop: ({ nodes }) => void Object.assign(nodes.triggers, { broken: false }),
    },
    hasChainTrigger: true,
  },
];
