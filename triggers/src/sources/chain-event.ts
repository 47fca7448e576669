/** Chain-event triggers: validation of their `config`. */
import { badRequest, serviceUnavailable } from '@latchkey/http';
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import type { AbiEvent, Hex } from 'viem';
import { z } from 'zod';
import { type ChainName, chainIdOf } from '../config.ts';
import { type ChainEventConfig, contractsOf, type Factory, type TopicFilter } from './chain-config.ts';
import { dropPaused, firstToFire, placeCursor, readCursor, silenceRead } from './chain-cursor.ts';
import { factoryForm, isSameFactory, parseFactory, requireFactoryRoom } from './chain-factory.ts';
import { openChainRpc } from './chain-failover.ts';
import { MAX_SIGNATURE_CHARACTERS, parseBlock, parseContract, parseEvent } from './chain-fields.ts';
import { parseEventSignature, toTopic0 } from './event-signature.ts';
import { filterFields, requireFilter } from './filter.ts';
import { parseConfig } from './parse-config.ts';
import type { AcceptConfigOptions, Source, StoredConfig } from './source.ts';

/** Chain id of anvil, whose blocks are final immediately. */
const CONFIRMATIONS = 12;
const MAX_CONFIRMATIONS = 10_000;
const MAX_TOPIC_FILTERS = 3;
const MAX_CONTRACTS = 50;
/** A start block that is further ahead of the head is a mistake: on the fastest chains it is hours away. */
const MAX_BLOCKS_AHEAD = 100_000;
/** Short, because a caller waits for the answer and another node may be asked afterwards. */
const RPC_TIMEOUT_MS = 5_000;

const topic = z.string();
const wireConfig = z.strictObject({
  chain: z.union([z.string(), z.number()]),
  contract_address: z.string().optional(),
  contract_addresses: z.array(z.string()).min(1).max(MAX_CONTRACTS).optional(),
  factory: factoryForm.optional(),
  event_signature: z.string().max(MAX_SIGNATURE_CHARACTERS),
  topic_filters: z.array(z.union([topic, z.array(topic).max(100), z.null()])).optional(),
  start_block: z.union([z.number(), z.string()]).nullish(),
  confirmations: z.number().optional(),
  fire_on_retraction: z.boolean().optional(),
  paused_events: z.enum(['drop', 'fire']).default('drop'),
  ...filterFields,
});

const toChainConfig = (stored: StoredConfig) => stored as ChainEventConfig;

export const chainEvent: Source = {
  config: wireConfig,
  async accept(wire, { before }, { rpcUrls }) {
    const { chain, event_signature, topic_filters = [], ...rest } = parseConfig(wireConfig, wire);
    const { factory, ...contracts } = parseContracts(rest);
    const event = parseEvent(event_signature, 'event_signature');
    const filters = parseTopicFilters(topic_filters, event);
    requireFilter('chain_event', rest.if);
    const startBlock = rest.start_block == null ? undefined : parseBlock(rest.start_block, 'start_block');
    const { confirmations: wanted } = rest;
    if (wanted !== undefined && !(Number.isInteger(wanted) && wanted >= 0 && wanted <= MAX_CONFIRMATIONS))
      throw badRequest(`body.config.confirmations: expected an integer from 0 to ${MAX_CONFIRMATIONS}.`);

    const { name, id, headBlock } = await resolveChain(chain, rpcUrls);
    for (const [field, block] of [
      ['start_block', startBlock],
      ['factory.start_block', factory?.start_block],
    ] as const)
      if (block !== undefined && block > headBlock + MAX_BLOCKS_AHEAD)
        throw badRequest(
          `body.config.${field}: ${block} is more than ${MAX_BLOCKS_AHEAD} blocks after the newest block of ${name}, ${headBlock}.`,
        );
    const earlier = before && toChainConfig(before).chain_id === id ? toChainConfig(before) : undefined;
    const isKept = earlier && (!factory || isSameFactory(factory, earlier.factory));
    const start_block = startBlock ?? (isKept ? earlier.start_block : headBlock + 1);
    return {
      chain: name,
      chain_id: id,
      ...contracts,
      ...(factory && {
        factory: {
          ...factory,
          start_block:
            factory.start_block ?? (isKept ? earlier.factory?.start_block : undefined) ?? start_block,
        },
      }),
      event_signature,
      topic_filters: filters,
      start_block,
      confirmations: wanted ?? (id === LOCAL_CHAIN_ID ? 0 : CONFIRMATIONS),
      fire_on_retraction: rest.fire_on_retraction ?? false,
      paused_events: rest.paused_events,
      ...(rest.if !== undefined && { if: rest.if }),
    } satisfies ChainEventConfig;
  },
  show: ({ chain_id: _, ...config }) => ({ paused_events: 'drop', ...config }),
  async place({ id, config }, { wire, before, isResumed }, { rpcUrls }) {
    const after = toChainConfig(config);
    const earlier = before && toChainConfig(before);
    const dropsPaused = isResumed && after.paused_events !== 'fire';
    if (earlier && wire == null && !dropsPaused) return undefined;
    const { headBlock: head } = await resolveChain(after.chain, rpcUrls);
    const isSameChain = earlier?.chain_id === after.chain_id;
    const isPlaced =
      !isSameChain ||
      (wire as { start_block?: unknown } | null)?.start_block != null ||
      (after.factory !== undefined && !isSameChildren(after.factory, earlier.factory));
    return async (tx) => {
      if (isPlaced) {
        if (after.factory) await requireFactoryRoom(tx, id);
        await placeCursor(tx, id, { config: after, head, isSameChain });
        return toReads(after.start_block, head);
      }
      const read = await readCursor(tx, id, earlier);
      const filtered = isSameFilter(earlier, after) ? read : await silenceRead(tx, read, after);
      const cursor = dropsPaused
        ? await dropPaused(tx, filtered, { before: earlier, after, head })
        : filtered;
      return toReads(firstToFire(read, cursor, earlier), head);
    };
  },
};

const isSameChildren = (one: Factory, other: Factory | undefined): boolean =>
  one.start_block === other?.start_block && isSameFactory(one, other);

/** Reply fields of a trigger whose position or filter was stored. */
const toReads = (from_block: number, to_block: number) => ({ reads: { from_block, to_block } });

function isSameFilter(one: ChainEventConfig, other: ChainEventConfig): boolean {
  const [first, second] = [one, other].map(({ event_signature: signature, topic_filters, ...config }) =>
    JSON.stringify([
      contractsOf(config).sort(),
      toTopic0(parseEventSignature(signature)),
      topic_filters,
      config.if,
    ]),
  );
  return first === second;
}

/** Takes one address, a list, in which an address that is given twice counts once, or a factory. */
function parseContracts({
  contract_address: one,
  contract_addresses: several,
  factory,
}: Pick<z.output<typeof wireConfig>, 'contract_address' | 'contract_addresses' | 'factory'>) {
  if ([one, several, factory].filter((each) => each !== undefined).length !== 1)
    throw badRequest(
      'body.config: expected exactly one of contract_address, contract_addresses and factory.',
    );
  if (factory) return { factory: parseFactory(factory) };
  if (several)
    return {
      contract_addresses: [
        ...new Set(several.map((text, n) => parseContract(text, `contract_addresses[${n}]`))),
      ],
    };
  return { contract_address: parseContract(one ?? '', 'contract_address') };
}

function parseTopicFilters(
  wire: readonly (string | readonly string[] | null)[],
  event: AbiEvent,
): TopicFilter[] {
  if (wire.length > MAX_TOPIC_FILTERS)
    throw badRequest(
      `body.config.topic_filters: expected at most ${MAX_TOPIC_FILTERS} filters, for the topics after topic0.`,
    );
  const filters = wire.map((filter): TopicFilter => {
    const topics = filter === null ? [] : typeof filter === 'string' ? [filter] : filter;
    for (const each of topics)
      if (!/^0x[0-9a-fA-F]{64}$/.test(each))
        throw badRequest(
          'body.config.topic_filters: expected 0x and 64 hex digits. Pad an address with 24 leading zeros.',
        );
    if (filter !== null && topics.length === 0)
      throw badRequest(
        'body.config.topic_filters: an empty list matches nothing. Use null to match every topic.',
      );
    const lower = topics.map((each) => each.toLowerCase() as Hex);
    return typeof filter === 'string' ? (lower[0] ?? null) : filter === null ? null : lower;
  });
  // For a trailing null, a node requires that the log has that topic.
  while (filters.at(-1) === null) filters.pop();
  const indexed = event.inputs.filter((input) => input.indexed).length;
  const topics = indexed > 0 ? indexed : event.inputs.length;
  if (filters.length > topics)
    throw badRequest(`body.config.topic_filters: the event has only ${topics} topics after topic0.`);
  return filters;
}

const settingOf = (name: ChainName): string =>
  /^\d/.test(name) ? 'OTHER_RPC_URLS' : `${name.toUpperCase()}_RPC_URL`;

/**
 * Resolves a chain name or id to the chain and its newest block. Throws 400 for an unknown or unconfigured chain, 503 when its RPC
 * node does not answer.
 */
async function resolveChain(
  wire: string | number,
  rpcUrls: AcceptConfigOptions['rpcUrls'],
): Promise<{ name: ChainName; id: number; headBlock: number }> {
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
    return { name, id, headBlock: Number(head.number) };
  } finally {
    rpc.close();
  }
}
