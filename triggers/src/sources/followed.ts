/** Triggers that follow a chain, and what fires them. */
import type { AbiEvent, Hex } from 'viem';
import type { Side } from '../db/schema.ts';
import type { Family } from './chain-children.ts';
import type { ChainBlockConfig, ChainEventConfig } from './chain-config.ts';
import type { Block, ChainLog } from './chain-rpc.ts';

type FollowedBase = {
  id: string;
  userId: string;
  /** `updated_at` of the trigger, in ms. A trigger that was changed since fires nothing. */
  version: number;
};

/** A chain-event trigger with its parsed event. */
export type FollowedEvents = FollowedBase & {
  kind: 'chain_event';
  config: ChainEventConfig;
  event: AbiEvent;
  topic0: Hex;
  /** Set when the contracts are those of a factory. */
  family?: Family | undefined;
};

/** A chain-block trigger. */
export type FollowedBlocks = FollowedBase & {
  kind: 'chain_block';
  config: ChainBlockConfig;
  family?: undefined;
  /** As `sides` of its cursor. */
  sides: readonly Side[];
};

export type Followed = FollowedEvents | FollowedBlocks;

/** A block that fires a trigger, with the balance that was read in it. Stored as a log is. */
export type FiredBlock = Pick<ChainLog, 'blockNumber' | 'blockHash' | 'transactionHash' | 'logIndex'> & {
  block: Block;
  balance?: bigint;
};

export type Fired = ChainLog | FiredBlock;
