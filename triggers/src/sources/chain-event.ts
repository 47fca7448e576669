/** Triggers that logs of a contract fire: what their `config` means. */
import { badRequest, serviceUnavailable } from '@latchkey/http';
import { parseAddress } from '@latchkey/protocol';
import type { AbiEvent, Hex } from 'viem';
import { z } from 'zod';
import { type ChainName, type Config, chainIds } from '../config.ts';
import { openChainRpc } from './chain-rpc.ts';
import { parseEventSignature } from './event-signature.ts';
import { parseConfig } from './parse-config.ts';
import type { Source } from './source.ts';

/** Of a chain on one machine: its blocks are final at once. */
const LOCAL_CHAIN_ID = 31_337;
const CONFIRMATIONS = 12;
const MAX_CONFIRMATIONS = 10_000;
const MAX_TOPIC_FILTERS = 3;

const topic = z.string();
const wireConfig = z.strictObject({
  chain: z.union([z.string(), z.number()]),
  contract_address: z.string(),
  event_signature: z.string().max(1_000),
  topic_filters: z.array(z.union([topic, z.array(topic).max(100), z.null()])).optional(),
  start_block: z.union([z.number(), z.string()]).nullish(),
  confirmations: z.number().optional(),
  fire_on_retraction: z.boolean().optional(),
});

type TopicFilter = Hex | Hex[] | null;

export type ChainEventConfig = {
  chain: ChainName;
  chain_id: number;
  contract_address: Hex;
  event_signature: string;
  /** Of the topics after topic0; none that is null at the end. */
  topic_filters: TopicFilter[];
  start_block: number;
  confirmations: number;
  /** A log that fired and that the chain dropped fires a run with `retracted: true`. */
  fire_on_retraction: boolean;
};

export const chainEvent: Source = {
  async accept(wire, _trigger, { config }) {
    const {
      chain,
      contract_address,
      event_signature,
      topic_filters = [],
      ...rest
    } = parseConfig(wireConfig, wire);
    const address = parseAddress(contract_address);
    if (!address) throw badRequest('body.config.contract_address: expected an address of 20 bytes in hex.');
    const event = eventOf(event_signature);
    const filters = filtersOf(topic_filters, event);
    const startBlock = rest.start_block == null ? undefined : blockOf(rest.start_block);
    const { confirmations: wanted } = rest;
    if (wanted !== undefined && !(Number.isInteger(wanted) && wanted >= 0 && wanted <= MAX_CONFIRMATIONS))
      throw badRequest(`body.config.confirmations: expected an integer from 0 to ${MAX_CONFIRMATIONS}.`);

    const { name, id, headBlock } = await chainOf(chain, config);
    return {
      chain: name,
      chain_id: id,
      contract_address: address,
      event_signature,
      topic_filters: filters,
      start_block: startBlock ?? headBlock + 1,
      confirmations: wanted ?? (id === LOCAL_CHAIN_ID ? 0 : CONFIRMATIONS),
      fire_on_retraction: rest.fire_on_retraction ?? false,
    } satisfies ChainEventConfig;
  },
  show: ({ chain_id: _, ...config }) => config,
};

function eventOf(signature: string): AbiEvent {
  try {
    return parseEventSignature(signature);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : '';
    throw badRequest(`body.config.event_signature: ${reason}`, {
      fix: 'Write it as in the contract: Transfer(address indexed from, address indexed to, uint256 value).',
    });
  }
}

function filtersOf(wire: readonly (string | readonly string[] | null)[], event: AbiEvent): TopicFilter[] {
  if (wire.length > MAX_TOPIC_FILTERS)
    throw badRequest(`body.config.topic_filters: at most ${MAX_TOPIC_FILTERS}, of the topics after topic0.`);
  const filters = wire.map((filter): TopicFilter => {
    const topics = filter === null ? [] : typeof filter === 'string' ? [filter] : filter;
    for (const each of topics)
      if (!/^0x[0-9a-fA-F]{64}$/.test(each))
        throw badRequest(
          'body.config.topic_filters: expected 0x and 64 hex digits; an address has 24 zeros before it.',
        );
    if (filter !== null && topics.length === 0)
      throw badRequest('body.config.topic_filters: an empty list matches nothing; null matches everything.');
    const lower = topics.map((each) => each.toLowerCase() as Hex);
    return typeof filter === 'string' ? (lower[0] ?? null) : filter === null ? null : lower;
  });
  // A node takes a null at the end for a topic that has to be there.
  while (filters.at(-1) === null) filters.pop();
  const indexed = event.inputs.filter((input) => input.indexed).length;
  const topics = indexed > 0 ? indexed : event.inputs.length;
  if (filters.length > topics)
    throw badRequest(`body.config.topic_filters: this event has ${topics} topics after topic0.`);
  return filters;
}

function blockOf(wire: number | string): number {
  const number =
    typeof wire === 'number' ? wire : /^0x[0-9a-fA-F]{1,14}$/.test(wire) ? Number(wire) : Number.NaN;
  if (!Number.isSafeInteger(number) || number < 0)
    throw badRequest('body.config.start_block: expected a block number, as an integer or as a 0x text.');
  return number;
}

/** The chain that a client means, with its newest block. 400 when it is unknown or its RPC is not configured, 503 when that is silent. */
async function chainOf(
  wire: string | number,
  { secrets: { rpcUrls } }: Pick<Config, 'secrets'>,
): Promise<{ name: ChainName; id: number; headBlock: number }> {
  const names = Object.keys(rpcUrls) as ChainName[];
  const number = typeof wire === 'number' || /^\d+$/.test(wire) ? Number(wire) : undefined;
  const known = names.find((name) => name === wire || (name !== 'service' && chainIds[name] === number));
  const isConfigured = known !== undefined && rpcUrls[known] !== undefined;
  // A number may be the one of the service's own chain.
  const name = isConfigured || number === undefined ? known : 'service';
  const unknown = () =>
    known === undefined
      ? badRequest(
          `body.config.chain: expected one of ${names.join(', ')}, or the id of one of these chains.`,
        )
      : badRequest(`body.config.chain: this deployment does not follow ${known}.`, {
          fix: `Set ${known.toUpperCase()}_RPC_URL of the trigger service.`,
        });
  const url = name && rpcUrls[name];
  if (name === undefined || url === undefined) throw unknown();

  const rpc = openChainRpc(url);
  try {
    const [id, head] = await Promise.all([rpc.chainId(), rpc.block('latest')]).catch((cause: unknown) => {
      throw serviceUnavailable(`the RPC of ${name} does not answer`, { cause });
    });
    if (!head) throw serviceUnavailable(`the RPC of ${name} has no newest block`);
    if (name !== 'service' && id !== chainIds[name])
      throw badRequest(`body.config.chain: the RPC that is set for ${name} is of the chain ${id}.`, {
        fix: `Set ${name.toUpperCase()}_RPC_URL to a node of the chain ${chainIds[name]}.`,
      });
    if (name === 'service' && number !== undefined && number !== id) throw unknown();
    return { name, id, headBlock: Number(head.number) };
  } finally {
    rpc.close();
  }
}
