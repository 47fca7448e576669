/** The input of the run that a log fires, and whether it fires one. */
import { setImmediate } from 'node:timers/promises';
import { type AbiEvent, getAddress, type Hex, numberToHex } from 'viem';
import type { AcceptOptions } from '../runs/accept.ts';
import type { ChainEventConfig } from './chain-config.ts';
import type { ChainLog } from './chain-rpc.ts';
import { decodeLog } from './event-signature.ts';
import { findIgnored } from './filter.ts';
import { noteIgnored } from './ignored-events.ts';

/** Resolves to whether the `if` of the trigger ignores a log. Other work has its turn between the logs of a range. */
export async function isIgnored(
  options: AcceptOptions,
  { id, version, config }: { id: string; version: number; config: ChainEventConfig },
  input: Record<string, unknown>,
): Promise<boolean> {
  if (config.if === undefined) return false;
  await setImmediate();
  const trigger = { id, kind: 'chain_event' as const, config, updatedAt: new Date(version) };
  const ignored = findIgnored(trigger, input);
  if (ignored) await noteIgnored(options, trigger, ignored);
  return ignored !== undefined;
}

/** Builds the parameters of the action. */
export function toRunInput(
  { config, event, topic0 }: { config: ChainEventConfig; event: AbiEvent; topic0: Hex },
  log: ChainLog,
): Record<string, unknown> {
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
