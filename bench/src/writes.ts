/** A write, from request to reply: add_group. Baseline: the same calldata sent with viem until its receipt. */
import type { Stack } from '@latchkey/stack';
import { startForked } from '@latchkey/testing/forked';
import { type Comparison, type CpuMeter, compareBlocks } from '@latchkey/testing/measure';
import type { Writes } from './bare-writes.ts';
import { newAccount, newGroup } from './client.ts';
import { openCpuMeter } from './cpu.ts';
import type { Load } from './load.ts';
import { startOwnRelayer } from './own-relayer.ts';
import { addPayers, newGroupData, payerKeys } from './payers.ts';
import { CLIENTS, type Measured } from './rows.ts';

/** Clients of the rows that compare the throughput. */
const CONCURRENCY = 8;

type Options = {
  name: string;
  /** URL of the relayer's HTTP API. */
  baseUrl: string;
  clients: number[];
  count: number;
  /** Number of untimed writes first: V8 compiles the code of a new relayer while the p50, which the chain dominates, already seems stable. */
  leadIn?: number;
  meter?: CpuMeter;
};

async function compareWrites(
  { rpcUrl, contractAddress }: Stack,
  { name, baseUrl, clients, count, leadIn = 0, meter }: Options,
): Promise<Comparison[]> {
  const { key } = await newAccount(baseUrl);
  using load = startForked(new URL('load.ts', import.meta.url));
  using bare = startForked(new URL('bare-writes.ts', import.meta.url));
  const requests = [
    { url: `${baseUrl}/add_group`, headers: { 'X-Api-Key': key }, body: JSON.stringify(newGroup) },
  ];
  const shared = { rpcUrl, payerKey: payerKeys.sender, to: contractAddress, data: newGroupData(key) };
  await load.ask({ requests, count: leadIn, clients: CONCURRENCY } satisfies Load);
  const comparisons: Comparison[] = [];
  for (const concurrency of clients)
    comparisons.push(
      await compareBlocks(
        { name, concurrency, count },
        {
          service: (size) => load.ask({ requests, count: size, clients: concurrency } satisfies Load),
          baseline: (size) => bare.ask({ ...shared, count: size, clients: concurrency } satisfies Writes),
          ...(meter && { meter }),
        },
      ),
    );
  return comparisons;
}

async function compareWith4Payers(stack: Stack, count: number): Promise<Comparison[]> {
  await using relayer = await startOwnRelayer(stack, payerKeys.relayer);
  return await compareWrites(stack, {
    name: 'write, 4 payers',
    baseUrl: relayer.baseUrl,
    clients: [CONCURRENCY],
    count,
    leadIn: count,
  });
}

export async function benchWrites(stack: Stack, count: number): Promise<Measured> {
  const { baseUrl } = stack;
  await addPayers(stack);
  const meter = await openCpuMeter(stack);
  const clients = [...CLIENTS, CONCURRENCY].sort((a, b) => a - b);
  const writes = await compareWrites(stack, { name: 'write', baseUrl, clients, count: 6 * count, meter });
  const with4Payers = await compareWith4Payers(stack, 12 * count);

  const at = (concurrency: number) => writes.filter((comparison) => comparison.concurrency === concurrency);
  return {
    values: {
      write: at(1).map(({ ratioP50 }) => ratioP50),
      writeRate: at(CONCURRENCY).map(({ ratioPerSecond }) => ratioPerSecond),
      writeRateOf4Payers: with4Payers.map(({ ratioPerSecond }) => ratioPerSecond),
      writeCpu: at(1).map(({ cpuMs = Number.NaN }) => cpuMs),
    },
    comparisons: [...writes, ...with4Payers],
  };
}
