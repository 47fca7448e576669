/** The input of the run that a log or block fires, and whether it fires one. */
import { setImmediate } from 'node:timers/promises';
import { getAddress, numberToHex } from 'viem';
import type { AcceptOptions } from '../runs/accept.ts';
import type { ChainLog } from './chain-rpc.ts';
import { decodeLog } from './event-signature.ts';
import { findIgnored } from './filter.ts';
import type { Fired, FiredBlock, Followed, FollowedBlocks, FollowedEvents } from './followed.ts';
import { noteIgnored } from './ignored-events.ts';

/** Resolves to whether the `if` of the trigger ignores a log. Other work has its turn between the logs of a range. */
export async function isIgnored(
  options: AcceptOptions,
  { id, kind, version, config }: Pick<Followed, 'id' | 'kind' | 'version' | 'config'>,
  input: Record<string, unknown>,
): Promise<boolean> {
  if (config.if === undefined) return false;
  await setImmediate();
  const trigger = { id, kind, config, updatedAt: new Date(version) };
  const ignored = findIgnored(trigger, input);
  if (ignored) await noteIgnored(options, trigger, ignored);
  return ignored !== undefined;
}

/** Builds the parameters of the action. */
export function toRunInput(trigger: Followed, fired: Fired): Record<string, unknown> {
  if (trigger.kind === 'chain_block' && 'block' in fired) return toBlockInput(trigger, fired);
  if (trigger.kind === 'chain_event' && 'topics' in fired) return toLogInput(trigger, fired);
  throw new Error(`a ${trigger.kind} trigger cannot fire for this`);
}

function toBlockInput({ config }: FollowedBlocks, { block, balance }: FiredBlock) {
  const { above, below } = config.balance ?? config.base_fee ?? {};
  return {
    source: 'chain_block',
    event: {
      chain_key: config.chain,
      chain_id: config.chain_id,
      block_number: Number(block.number),
      block_hash: block.hash,
      timestamp: Number(block.timestamp),
      base_fee: block.baseFeePerGas?.toString() ?? null,
      ...(above !== undefined && { above }),
      ...(below !== undefined && { below }),
      ...(config.balance && {
        address: config.balance.address,
        token: config.balance.token ?? null,
        balance: String(balance),
      }),
    },
  };
}

function toLogInput({ config, event, topic0 }: FollowedEvents, log: ChainLog) {
  return {
    source: 'chain_event',
    event: {
      chain_key: config.chain,
      chain_id: config.chain_id,
      contract_address: getAddress(log.address),
      event_signature: config.event_signature,
      topic0,
      topics: log.topics,
      data: log.data,
      block_number: Number(log.blockNumber),
      transaction_hash: log.transactionHash,
      log_index: Number(log.logIndex),
      decoded: decodeLog(event, { topics: log.topics.slice(1), data: log.data }),
      raw_log: toRawLog(log),
    },
  };
}

/** Formats a log as in JSON-RPC. */
const toRawLog = ({ address, topics, data, blockHash, transactionHash, ...log }: ChainLog) => ({
  address,
  topics,
  data,
  blockNumber: numberToHex(log.blockNumber),
  blockHash,
  transactionHash,
  transactionIndex: numberToHex(log.transactionIndex),
  logIndex: numberToHex(log.logIndex),
  removed: false,
});
