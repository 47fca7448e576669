/** list_groups. Baseline: an Express server that only replies with the same bytes. */
import type { Stack } from '@latchkey/stack';
import { startForked } from '@latchkey/testing/forked';
import { type Comparison, compareBlocks, measure } from '@latchkey/testing/measure';
import { call, newAccount, newGroup } from './client.ts';
import { openCpuMeter } from './cpu.ts';
import type { Load } from './load.ts';
import { CLIENTS, type Measured } from './rows.ts';

const GROUPS = 100;

export async function benchLists(stack: Stack, count: number): Promise<Measured> {
  const { baseUrl } = stack;
  const { key } = await newAccount(baseUrl);
  await measure({ run: () => call(`${baseUrl}/add_group`, { key, body: newGroup }) }, GROUPS, 8);
  const url = `${baseUrl}/list_groups?page_size=${GROUPS}`;
  const groups = await call<unknown[]>(url, { key });
  if (groups.length !== GROUPS) throw new Error(`list_groups returned ${groups.length} groups`);

  using load = startForked(new URL('load.ts', import.meta.url));
  using bare = startForked(new URL('bare-list.ts', import.meta.url));
  const port = await bare.ask<number>({ body: JSON.stringify(groups) });
  const service = [{ url, headers: { 'X-Api-Key': key } }];
  const baseline = [{ url: `http://127.0.0.1:${port}/` }];
  const meter = await openCpuMeter(stack);
  const comparisons: Comparison[] = [];
  for (const clients of CLIENTS)
    comparisons.push(
      await compareBlocks(
        { name: `list of ${GROUPS} groups`, concurrency: clients, count },
        {
          service: (size) => load.ask({ requests: service, count: size, clients } satisfies Load),
          baseline: (size) => load.ask({ requests: baseline, count: size, clients } satisfies Load),
          meter,
        },
      ),
    );
  return {
    values: {
      list: comparisons.slice(0, 1).map((alone) => alone.service.p50Ms),
      listRate: comparisons.map(({ ratioPerSecond }) => ratioPerSecond),
    },
    comparisons,
  };
}
