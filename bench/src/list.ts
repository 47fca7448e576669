/** list_groups. Baseline: a server that only answers with the same bytes. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Stack } from '@latchkey/stack';
import { type Account, call } from './client.ts';
import { type Comparison, compare } from './measure.ts';

export async function benchList(
  { baseUrl }: Stack,
  { key }: Account,
  count: number,
  concurrencies: number[],
): Promise<Comparison[]> {
  const url = `${baseUrl}/list_groups`;
  const groups = await call<unknown[]>(url, { key });
  const server = fork(join(import.meta.dirname, 'bare-server.ts'));
  try {
    server.send(JSON.stringify(groups));
    const [port] = await once(server, 'message');
    const comparisons: Comparison[] = [];
    for (const concurrency of concurrencies) {
      comparisons.push(
        await compare(`list (${groups.length} groups)`, {
          count,
          concurrency,
          service: { run: () => call(url, { key }) },
          baseline: { run: () => call(`http://127.0.0.1:${port}`) },
        }),
      );
    }
    return comparisons;
  } finally {
    server.kill();
  }
}
