/** Chain-event triggers: validation of their `config`. */
import { badRequest } from '@latchkey/http';
import type { AbiEvent, Hex } from 'viem';
import { z } from 'zod';
import { type ChainEventConfig, contractsOf, type Factory, type TopicFilter } from './chain-config.ts';
import { FACTORIES, factoryForm, isSameFactory, parseFactory } from './chain-factory.ts';
import { MAX_SIGNATURE_CHARACTERS, parseBlock, parseContract, parseEvent } from './chain-fields.ts';
import {
  defaultConfirmations,
  followedFields,
  MAX_CONFIRMATIONS,
  parseConfirmations,
  placeBy,
  resolveChain,
} from './chain-place.ts';
import { parseEventSignature, toTopic0 } from './event-signature.ts';
import { requireFilter } from './filter.ts';
import { parseConfig } from './parse-config.ts';
import type { Source, StoredConfig } from './source.ts';

const MAX_TOPIC_FILTERS = 3;
const MAX_CONTRACTS = 50;
/** A start block that is further ahead of the head is a mistake: on the fastest chains it is hours away. */
const MAX_BLOCKS_AHEAD = 100_000;

const topic = z.string();
const wireConfig = z.strictObject({
  ...followedFields,
  contract_address: z.string().optional(),
  contract_addresses: z.array(z.string()).min(1).max(MAX_CONTRACTS).optional(),
  factory: factoryForm.optional(),
  event_signature: z.string().max(MAX_SIGNATURE_CHARACTERS),
  topic_filters: z.array(z.union([topic, z.array(topic).max(100), z.null()])).optional(),
  start_block: z.union([z.number(), z.string()]).nullish(),
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
    const confirmations = parseConfirmations(rest.confirmations, MAX_CONFIRMATIONS);

    const { name, id, head } = await resolveChain(chain, rpcUrls);
    const headBlock = Number(head.number);
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
      confirmations: confirmations ?? defaultConfirmations(id),
      fire_on_retraction: rest.fire_on_retraction ?? false,
      paused_events: rest.paused_events,
      ...(rest.if !== undefined && { if: rest.if }),
    } satisfies ChainEventConfig;
  },
  show: ({ chain_id: _, ...config }) => ({ paused_events: 'drop', ...config }),
  place: placeBy<ChainEventConfig>({
    isSameFilter,
    isMoved: ({ wire, earlier, after }) =>
      (wire as { start_block?: unknown } | null)?.start_block != null ||
      (after.factory !== undefined && !isSameChildren(after.factory, earlier.factory)),
    limited: ({ factory }) => (factory ? FACTORIES : undefined),
  }),
};

const isSameChildren = (one: Factory, other: Factory | undefined): boolean =>
  one.start_block === other?.start_block && isSameFactory(one, other);

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
