/** From a mined log until a list shows it. Baseline: a minimal Ponder app on the same chain, read in the same way. */
import { apiKeyHash } from '@latchkey/protocol';
import type { Stack } from '@latchkey/stack';
import { startForked } from '@latchkey/testing/forked';
import { compareBlocks, type Samples } from '@latchkey/testing/measure';
import { startBarePonder } from './bare-ponder.ts';
import { newAccount } from './client.ts';
import { addPayers, newGroupData, payerKeys } from './payers.ts';
import type { Measured } from './rows.ts';
import type { Visits } from './visible-load.ts';

export async function benchVisible(stack: Stack, count: number): Promise<Measured> {
  const { baseUrl, rpcUrl, wsUrl, contractAddress } = stack;
  await addPayers(stack);
  const { key } = await newAccount(baseUrl);
  await using bare = await startBarePonder(stack);
  using load = startForked(new URL('visible-load.ts', import.meta.url));
  const visit = (url: string, headers: Record<string, string>, size: number) =>
    load.ask<Samples>({
      rpcUrl,
      wsUrl,
      payerKey: payerKeys.sender,
      to: contractAddress,
      data: newGroupData(key),
      url,
      headers,
      count: size,
    } satisfies Visits);
  const comparison = await compareBlocks(
    { name: 'log to list', concurrency: 1, count },
    {
      service: (size) => visit(`${baseUrl}/list_groups?page_size=1`, { 'X-Api-Key': key }, size),
      baseline: (size) => visit(`${bare.url}/groups/${apiKeyHash(key)}`, {}, size),
    },
  );
  return { values: { visible: [comparison.ratioP50] }, comparisons: [comparison] };
}
