/** Chain-block triggers: validation of their `config`. */
import { badRequest, serviceUnavailable } from '@latchkey/http';
import { z } from 'zod';
import type { BalanceCondition, ChainBlockConfig, Threshold } from './chain-config.ts';
import type { ChainNodes } from './chain-failover.ts';
import { parseContract } from './chain-fields.ts';
import {
  defaultConfirmations,
  followedFields,
  MAX_CONFIRMATIONS,
  parseConfirmations,
  placeBy,
  type Resolved,
  resolveChain,
} from './chain-place.ts';
import { requireFilter } from './filter.ts';
import { parseConfig } from './parse-config.ts';
import type { Source, StoredConfig } from './source.ts';

const MAX_EVERY = 10_000_000;
const SAMPLED_EVERY = 10;
/** At a longer interval, a change would be noticed hours later. */
const MAX_SAMPLED_EVERY = 1_000;
/** Nodes keep the balances of about the last 128 blocks. */
const MAX_SAMPLED_CONFIRMATIONS = 64;
/** Triggers with a balance per account: each costs a call of the node per read. */
const BALANCES = {
  kind: 'chain_block',
  field: 'balance',
  max: 20,
  fix: 'Delete one of them.',
} as const;
const MAX_UINT256 = 2n ** 256n - 1n;

const threshold = { above: z.string().max(100).optional(), below: z.string().max(100).optional() };
const wireConfig = z.strictObject({
  ...followedFields,
  every: z.number().optional(),
  base_fee: z.strictObject(threshold).optional(),
  balance: z
    .strictObject({
      ...threshold,
      address: z.string(),
      token: z.string().nullish(),
      every: z.number().optional(),
    })
    .optional(),
});
type Wire = z.output<typeof wireConfig>;

const toBlockConfig = (stored: StoredConfig) => stored as ChainBlockConfig;

export const chainBlock: Source = {
  config: wireConfig,
  async accept(wire, { before }, { rpcUrls }) {
    const { chain, confirmations: wanted, ...rest } = parseConfig(wireConfig, wire);
    const condition = parseCondition(rest);
    requireFilter('chain_block', rest.if);
    const confirmations = parseConfirmations(
      wanted,
      condition.balance ? MAX_SAMPLED_CONFIRMATIONS : MAX_CONFIRMATIONS,
    );
    const { name, id, head } = await resolveChain(chain, rpcUrls, (rpc, resolved) =>
      requireReadable(condition, rpc, resolved),
    );
    const earlier = before && toBlockConfig(before);
    return {
      chain: name,
      chain_id: id,
      ...condition,
      start_block: earlier?.chain_id === id ? earlier.start_block : Number(head.number) + 1,
      confirmations: confirmations ?? defaultConfirmations(id),
      fire_on_retraction: rest.fire_on_retraction ?? false,
      paused_events: rest.paused_events,
      ...(rest.if !== undefined && { if: rest.if }),
    } satisfies ChainBlockConfig;
  },
  show: ({ chain_id: _id, start_block: _start, ...config }) => config,
  place: placeBy<ChainBlockConfig>({
    isSameFilter,
    isMoved: () => false,
    limited: ({ balance }) => (balance ? BALANCES : undefined),
  }),
};

type Condition = Pick<ChainBlockConfig, 'every' | 'base_fee' | 'balance'>;

function isSameFilter(one: ChainBlockConfig, other: ChainBlockConfig): boolean {
  const [first, second] = [one, other].map((config) =>
    JSON.stringify([config.every, config.base_fee, config.balance, config.if]),
  );
  return first === second;
}

function parseCondition({ every, base_fee, balance }: Omit<Wire, 'chain'>): Condition {
  if ([every, base_fee, balance].filter((each) => each !== undefined).length !== 1)
    throw badRequest('body.config: expected exactly one of every, base_fee and balance.');
  if (base_fee) return { base_fee: parseThreshold(base_fee, 'base_fee') };
  if (balance) return { balance: parseBalance(balance) };
  return { every: parseInterval(every, 'every', MAX_EVERY) };
}

function parseBalance({ address, token, every, ...limits }: NonNullable<Wire['balance']>): BalanceCondition {
  return {
    address: parseContract(address, 'balance.address'),
    ...(token != null && { token: parseContract(token, 'balance.token') }),
    ...parseThreshold(limits, 'balance'),
    every: parseInterval(every ?? SAMPLED_EVERY, 'balance.every', MAX_SAMPLED_EVERY),
  };
}

function parseInterval(every: number | undefined, field: string, max: number): number {
  if (every !== undefined && Number.isInteger(every) && every >= 1 && every <= max) return every;
  throw badRequest(`body.config.${field}: expected an integer from 1 to ${max}.`);
}

/** Throws 400 for a threshold that no value can pass. */
function parseThreshold({ above, below }: NonNullable<Wire['base_fee']>, field: string): Threshold {
  if ((above === undefined) === (below === undefined))
    throw badRequest(`body.config.${field}: expected exactly one of above and below.`);
  if (above !== undefined) return { above: parseAmount(above, `${field}.above`, 0n, MAX_UINT256 - 1n) };
  return { below: parseAmount(below ?? '', `${field}.below`, 1n, MAX_UINT256) };
}

function parseAmount(text: string, field: string, min: bigint, max: bigint): string {
  if (/^(0|[1-9]\d*)$/.test(text) && BigInt(text) >= min && BigInt(text) <= max) return text;
  const highest = max === MAX_UINT256 ? '2^256 - 1' : '2^256 - 2';
  throw badRequest(
    `body.config.${field}: expected an integer from ${min} to ${highest} as a decimal string, in the smallest unit, such as wei.`,
  );
}

/** Throws 400 when the chain has no such value, and 503 when its nodes do not return it. */
async function requireReadable({ base_fee, balance }: Condition, rpc: ChainNodes, { name, head }: Resolved) {
  if (base_fee && head.baseFeePerGas === undefined)
    throw badRequest(`body.config.base_fee: the blocks of ${name} have no base fee.`);
  if (!balance) return;
  const { address, token } = balance;
  const holdings = [balance, ...(token ? [{ address }] : [])];
  const [found, ofCoin] = await rpc.balances(head.hash, holdings).catch((cause: unknown) => {
    throw serviceUnavailable(`The RPC node of ${name} does not answer.`, { cause });
  });
  if (found !== undefined) return;
  if (ofCoin !== undefined)
    throw badRequest('body.config.balance.token: the contract does not answer balanceOf(address).', {
      fix: 'Give the address of an ERC-20 contract, or omit token for the balance of the native coin.',
    });
  throw serviceUnavailable(`The RPC node of ${name} does not return balances.`);
}
