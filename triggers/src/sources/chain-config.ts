/** Stored `config` of chain-event and chain-block triggers. */
import type { Hex } from 'viem';
import type { ChainName } from '../config.ts';

export type TopicFilter = Hex | Hex[] | null;

/** A contract that makes others, and the event in which it announces each. */
export type Factory = {
  address: Hex;
  event: string;
  /** Argument of the event with the address of the child. */
  parameter: string;
  /** First block whose announcements count. */
  start_block: number;
};

/** Fields of both kinds. */
type FollowedConfig = {
  chain: ChainName;
  chain_id: number;
  start_block: number;
  /** CEL expression. */
  if?: string;
  confirmations: number;
  /** When a reorg drops a log or block that fired, fire a run with `retracted: true`. */
  fire_on_retraction: boolean;
  /** Events that are confirmed while the trigger is paused: dropped, or fired when it is resumed. */
  paused_events: 'drop' | 'fire';
};

export type ChainEventConfig = FollowedConfig & {
  /** Exactly one of `contract_address`, `contract_addresses` and `factory` is set. */
  contract_address?: Hex;
  contract_addresses?: Hex[];
  factory?: Factory;
  event_signature: string;
  /** Filters of the topics after topic0, without trailing nulls. */
  topic_filters: TopicFilter[];
};

/** A threshold in the smallest unit, as a decimal string. Exactly one of both is set. */
export type Threshold = { above?: string; below?: string };

export type BalanceCondition = Threshold & {
  address: Hex;
  /** ERC-20 contract. Without it, the balance is of the chain's own coin. */
  token?: Hex;
  /** The balance is read in each block whose number is a multiple of this one. */
  every: number;
};

/** Exactly one of `every`, `base_fee` and `balance` is set. */
export type ChainBlockConfig = FollowedConfig & {
  factory?: undefined;
  every?: number;
  base_fee?: Threshold;
  balance?: BalanceCondition;
};

export type ChainConfig = ChainEventConfig | ChainBlockConfig;

export const isBeyond = (value: bigint, { above, below }: Threshold): boolean =>
  above === undefined ? value < BigInt(below ?? 0) : value > BigInt(above);

/** Returns the first block that is read: the children of a factory are announced before `start_block` too. */
export const firstBlock = ({ factory, start_block }: Pick<ChainConfig, 'factory' | 'start_block'>): number =>
  factory?.start_block ?? start_block;

/** Returns the contracts of the config, none with a factory, whose logs fire the trigger, in lower case. */
export const contractsOf = ({
  contract_address: one,
  contract_addresses: several = one === undefined ? [] : [one],
}: Pick<ChainEventConfig, 'contract_address' | 'contract_addresses'>): Hex[] =>
  several.map((address) => address.toLowerCase() as Hex);
