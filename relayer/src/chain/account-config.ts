import type { Chain } from '@latchkey/chain/chain';
import { toChainError } from '@latchkey/chain/errors';
import type { Outbox } from '@latchkey/outbox';
import { accountConfigAbi } from '@latchkey/protocol';
import { annotateSpan } from '@latchkey/service/tracing';
import {
  type Address,
  type ContractEventName,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  encodeFunctionData,
  type Hex,
  type ParseEventLogsReturnType,
  parseEventLogs,
} from 'viem';
import { throwRefusal } from '../billing/ledger.ts';
import { ADMIN_WRITE_MICROS } from '../billing/money.ts';
import type { CapsChange } from '../db/schema.ts';

type Abi = typeof accountConfigAbi;
type ViewName = ContractFunctionName<Abi, 'view'>;
export type WriteName = ContractFunctionName<Abi, 'nonpayable'>;
type ArgumentsByName = { [Name in WriteName]: ContractFunctionArgs<Abi, 'nonpayable', Name> };
/** Spread, so that TypeScript infers an array literal as a tuple. */
export type WriteArguments<Name extends WriteName> = readonly [...ArgumentsByName[Name]];
type EventName = ContractEventName<Abi>;
type EventArgs<Name extends EventName> = ParseEventLogsReturnType<Abi, Name, true>[number]['args'];

export type Written = {
  blockNumber: bigint;
  transactionHash: Hex;
  gasUsed: bigint;
  /** Returns the arguments of the one event of this name. Throws when the transaction did not emit it. */
  event: <Name extends EventName>(name: Name) => EventArgs<Name>;
};

export type WriteOptions = {
  /** Master hash of the account that the call writes to. */
  account: bigint;
  idempotencyId: string | undefined;
  /**
   * The key that pays, the endpoint as the reason in the ledger, and how many admin writes it pays for (default 1).
   * Undefined for new accounts, which are free.
   */
  paidBy: { key: bigint; reason: string; writes?: number } | undefined;
  capsChange?: CapsChange;
};

/**
 * The contract, typed by its ABI. Calls reject with `ContractRevertError` and the errors of the chain and the payers.
 */
export type AccountConfig = {
  chainId: number;
  address: Address;
  /** Reads a view at the latest block, which is `minBlock` or later. Two of several nodes must give the answer. */
  read: <const Name extends ViewName>(
    name: Name,
    args: ContractFunctionArgs<Abi, 'view', Name>,
    minBlock?: bigint,
  ) => Promise<ContractFunctionReturnType<Abi, 'view', Name>>;
  /** Makes one write through a payer: simulates, sends, waits until it is mined, decodes its events. */
  write: <const Name extends WriteName>(
    name: Name,
    args: WriteArguments<Name>,
    options: WriteOptions,
  ) => Promise<Written>;
};

export function encodeWrite<const Name extends WriteName>(name: Name, args: WriteArguments<Name>): Hex {
  return encodeFunctionData({ abi: accountConfigAbi, functionName: name, args } as never);
}

/** A node can be some blocks behind another one for this long, so that their answers differ. */
const BEHIND_MS = 3_000;

/** The part of `AccountConfig` that needs no payer. Of several nodes, two give each answer: a lie would let a stranger's key run actions. */
export function createViews(chain: Chain, address: Address): Omit<AccountConfig, 'write'> {
  return {
    chainId: chain.chainId,
    address,
    async read(name, args, minBlock = 0n) {
      await chain.reach(minBlock);
      const call = { address, abi: accountConfigAbi, functionName: name, args };
      const result = await chain
        .agreed(
          (client) => client.readContract(call as never),
          (answer: unknown) => answer,
          BEHIND_MS,
        )
        .catch((error: unknown) => {
          throw toChainError(error);
        });
      return result as never;
    },
  };
}

export function createWrite(outbox: Pick<Outbox, 'send'>): AccountConfig['write'] {
  return async (name, args, { paidBy, ...options }) => {
    const writes = BigInt(paidBy?.writes ?? 1);
    const payment = paidBy && {
      key: paidBy.key,
      reason: paidBy.reason,
      amountMicros: ADMIN_WRITE_MICROS * writes,
    };
    const call = { ...options, data: encodeWrite(name, args), payment, writes };
    const { blockNumber, transactionHash, gasUsed, logs } = await outbox.send(call).catch(throwRefusal);
    annotateSpan({ transaction_hash: transactionHash });
    return {
      blockNumber,
      transactionHash,
      gasUsed,
      event: (eventName) => {
        // With the whole ABI the signature of every event would be hashed.
        const abi = accountConfigAbi.filter((item) => item.type === 'event' && item.name === eventName);
        const [log] = parseEventLogs({ abi, logs });
        if (!log) throw new Error(`the transaction emitted no ${eventName}`);
        return log.args as never;
      },
    };
  };
}
