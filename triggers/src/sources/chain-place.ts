/** The chain of a trigger, and where a trigger continues on it. */
import { badRequest, conflict, serviceUnavailable } from '@latchkey/http';
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import { and, eq, isNotNull, ne, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type ChainName, chainIdOf } from '../config.ts';
import type { Database } from '../db/database.ts';
import { type TriggerKind, triggers } from '../db/schema.ts';
import type { ChainConfig } from './chain-config.ts';
import { dropPaused, firstToFire, placeCursor, readCursor, silenceRead } from './chain-cursor.ts';
import { type ChainNodes, openChainRpc } from './chain-failover.ts';
import type { Block } from './chain-rpc.ts';
import { filterFields } from './filter.ts';
import type { AcceptConfigOptions, Source } from './source.ts';

const CONFIRMATIONS = 12;
export const MAX_CONFIRMATIONS = 10_000;
/** Short, because a caller waits for the answer and another node may be asked afterwards. */
const RPC_TIMEOUT_MS = 5_000;

/** Fields of the configs of all kinds that follow a chain. */
export const followedFields = {
  chain: z.union([z.string(), z.number()]),
  confirmations: z.number().optional(),
  fire_on_retraction: z.boolean().optional(),
  paused_events: z.enum(['drop', 'fire']).default('drop'),
  ...filterFields,
};

export function parseConfirmations(wanted: number | undefined, max: number): number | undefined {
  if (wanted === undefined || (Number.isInteger(wanted) && wanted >= 0 && wanted <= max)) return wanted;
  throw badRequest(`body.config.confirmations: expected an integer from 0 to ${max}.`);
}

/** Returns the default of `confirmations`. The blocks of a local chain are final immediately. */
export const defaultConfirmations = (chainId: number) => (chainId === LOCAL_CHAIN_ID ? 0 : CONFIRMATIONS);

/** Reply fields of a trigger whose position or filter was stored. */
const toReads = (from_block: number, to_block: number) => ({ reads: { from_block, to_block } });

type Places<Config> = {
  /** Returns whether the same logs or blocks fire both configs. */
  isSameFilter: (one: Config, other: Config) => boolean;
  /** Returns whether a change on the same chain starts anew, at the start block. */
  isMoved: (change: { wire: unknown; earlier: Config; after: Config }) => boolean;
  /** Returns the field of the config of which an account has a limited number. */
  limited: (config: Config) => Limited | undefined;
};

/** Returns the `place` of a source. */
export const placeBy =
  <Config extends ChainConfig>({
    isSameFilter,
    isMoved,
    limited,
  }: Places<Config>): NonNullable<Source['place']> =>
  async ({ id, config }, { wire, before, isResumed }, { rpcUrls }) => {
    const after = config as Config;
    const earlier = before as Config | undefined;
    const dropsPaused = isResumed && after.paused_events !== 'fire';
    if (earlier && wire == null && !dropsPaused) return undefined;
    const { head } = await resolveChain(after.chain, rpcUrls);
    const newest = Number(head.number);
    const isSameChain = earlier?.chain_id === after.chain_id;
    const isPlaced = !isSameChain || isMoved({ wire, earlier, after });
    const limit = wire == null ? undefined : limited(after);
    return async (tx) => {
      if (limit) await requireRoom(tx, id, limit);
      if (isPlaced) {
        await placeCursor(tx, id, { config: after, head: newest, isSameChain });
        return toReads(after.start_block, newest);
      }
      const read = await readCursor(tx, id, earlier);
      const filtered = isSameFilter(earlier, after) ? read : await silenceRead(tx, read, after);
      const cursor = dropsPaused
        ? await dropPaused(tx, filtered, { before: earlier, after, head: newest })
        : filtered;
      return toReads(firstToFire(read, cursor, earlier), newest);
    };
  };

/** A field of configs, and the number of triggers of an account that can have it. */
type Limited = { kind: TriggerKind; field: string; max: number; fix: string };

/** Rejects with 409 when the account has its maximum of triggers with the field. Call in the transaction that stores the trigger. */
async function requireRoom(tx: Database, id: string, { kind, field, max, fix }: Limited): Promise<void> {
  const owner = tx.select({ id: triggers.userId }).from(triggers).where(eq(triggers.id, id));
  // Two concurrent requests count one after the other.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${field}), hashtext((${owner})::text))`);
  const others = await tx.$count(
    triggers,
    and(
      eq(triggers.userId, sql`(${owner})`),
      ne(triggers.id, id),
      eq(triggers.kind, kind),
      isNotNull(sql`${triggers.config} -> ${field}::text`),
    ),
  );
  if (others >= max)
    throw conflict(`The account has ${others} triggers with a ${field}, which is the maximum.`, { fix });
}

const settingOf = (name: ChainName): string =>
  /^\d/.test(name) ? 'OTHER_RPC_URLS' : `${name.toUpperCase()}_RPC_URL`;

export type Resolved = { name: ChainName; id: number; head: Block };

/**
 * Resolves a chain name or id to the chain and its newest block, and asks its nodes what else is needed. Throws 400 for an unknown or
 * unconfigured chain, 503 when its RPC node does not answer.
 */
export async function resolveChain(
  wire: string | number,
  rpcUrls: AcceptConfigOptions['rpcUrls'],
  check?: (rpc: ChainNodes, resolved: Resolved) => Promise<void>,
): Promise<Resolved> {
  const names = Object.keys(rpcUrls) as ChainName[];
  const number = typeof wire === 'number' || /^\d+$/.test(wire) ? Number(wire) : undefined;
  const known = names.find((name) => name === wire || (number !== undefined && chainIdOf(name) === number));
  const isConfigured = known !== undefined && rpcUrls[known] !== undefined;
  // The number may be the id of the service's own chain.
  const name = isConfigured || number === undefined ? known : 'service';
  const unknown = () =>
    known === undefined
      ? badRequest(
          `body.config.chain: expected one of ${names.join(', ')}, or the id of one of these chains.`,
        )
      : badRequest(`body.config.chain: this deployment does not follow ${known}.`, {
          fix: `Set ${settingOf(known)} in the settings of the trigger service.`,
        });
  const urls = name && rpcUrls[name];
  if (name === undefined || urls === undefined) throw unknown();

  const rpc = openChainRpc(urls, { timeoutMs: RPC_TIMEOUT_MS });
  try {
    const [id, head] = await Promise.all([rpc.chainId(), rpc.block('latest')]).catch((cause: unknown) => {
      throw serviceUnavailable(`The RPC node of ${name} does not answer.`, { cause });
    });
    if (!head) throw serviceUnavailable(`The RPC node of ${name} has no latest block.`);
    const expected = chainIdOf(name);
    if (expected !== undefined && id !== expected)
      throw badRequest(`body.config.chain: the RPC node configured for ${name} serves chain ${id}.`, {
        fix: `Set ${settingOf(name)} to a node of chain ${expected}.`,
      });
    if (name === 'service' && number !== undefined && number !== id) throw unknown();
    await check?.(rpc, { name, id, head });
    return { name, id, head };
  } finally {
    rpc.close();
  }
}
