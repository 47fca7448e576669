/** Stored `config` of a chain-event trigger. */
import type { Hex } from 'viem';
import type { ChainName } from '../config.ts';

export type TopicFilter = Hex | Hex[] | null;

export type ChainEventConfig = {
  chain: ChainName;
  chain_id: number;
  /** Exactly one of `contract_address` and `contract_addresses` is set. */
  contract_address?: Hex;
  contract_addresses?: Hex[];
  event_signature: string;
  /** Filters of the topics after topic0, without trailing nulls. */
  topic_filters: TopicFilter[];
  start_block: number;
  /** CEL expression. */
  if?: string;
  confirmations: number;
  /** When a reorg drops a log that fired, fire a run with `retracted: true`. */
  fire_on_retraction: boolean;
  /** Events that are confirmed while the trigger is paused: dropped, or fired when it is resumed. */
  paused_events: 'drop' | 'fire';
};

/** Returns the contracts whose logs fire the trigger, in lower case. */
export const contractsOf = ({
  contract_address: one,
  contract_addresses: several = one === undefined ? [] : [one],
}: Pick<ChainEventConfig, 'contract_address' | 'contract_addresses'>): Hex[] =>
  several.map((address) => address.toLowerCase() as Hex);
