/** Strangers who flood each service with connections, beside an honest client with another address. */
import { Agent, request } from 'node:http';
import { type FloodName, flood, floods, type Scale } from '@latchkey/testing/floods';
import { processTree, rssMb } from '@latchkey/testing/process-tree';
import { describe, expect, inject, test } from 'vitest';

const { pids, url, triggersUrl, indexerUrl, keyNodeSettings } = inject('stack');
const nodeUrl = (keyNodeSettings.KEY_NODES ?? '').split(',')[0] ?? '';
const services = [
  ['relayer', `${url}/core/v1/openapi.json`, pids.relayer],
  ['triggers', `${triggersUrl}/api/openapi.json`, pids.triggers],
  ['key node', `${nodeUrl}/v1/openapi.json`, pids.keynode1],
  ['indexer', `${indexerUrl}/health`, pids.indexer],
] as const;

/** Fewer connections than a flood has by default (`FLOODS=whole`). */
const short: Record<FloodName, Scale> = {
  'pipelined requests': { opened: 20 },
  'half-sent bodies': { connections: 1_500, opened: 3_000 },
  'half-sent headers': { connections: 1_500, opened: 2_000 },
  'unread replies': { connections: 300, opened: 300 },
  'silent connections': { connections: 1_500, opened: 2_000 },
};
const isWhole = process.env.FLOODS === 'whole';

const FLOOD_ADDRESS = '127.0.66.1';
const VISITS = 20;
const REPLY_DEADLINE_MS = 5_000;
/** Maximum growth of resident memory, during a flood and within half a minute after it. */
const MAX_GROWTH_MIB = 150;
const MAX_GROWTH = 1.2;

/** Asks for the health of a service on a new connection. Resolves to the status. */
function visit(target: string): Promise<number> {
  const options = { localAddress: '127.0.67.1', agent: new Agent(), timeout: REPLY_DEADLINE_MS };
  return new Promise((resolve, reject) => {
    const sent = request(new URL('/health', target), options, (reply) => {
      reply.resume().once('end', () => resolve(reply.statusCode ?? 0));
    });
    sent.once('timeout', () => sent.destroy(new Error(`no reply in ${REPLY_DEADLINE_MS} ms`)));
    sent.once('error', reject).end();
  });
}

describe.each(services)('%s', (_name, target, pid) => {
  test.each(Object.keys(floods) as FloodName[])('serves others beside %s', async (name) => {
    const rss = () => rssMb(processTree([pid]));
    const before = rss();
    const over = new AbortController();
    const flooding = flood(target, name, {
      from: FLOOD_ADDRESS,
      signal: over.signal,
      scale: isWhole ? {} : short[name],
    });
    let highest = before;
    for (let visits = 0; visits < VISITS; visits++) {
      expect(await visit(target)).toBe(200);
      highest = Math.max(highest, rss());
    }
    over.abort();
    expect((await flooding).opened).toBeGreaterThan(0);
    expect(highest - before).toBeLessThan(MAX_GROWTH_MIB);
    await expect.poll(() => rss() / before).toBeLessThan(MAX_GROWTH);
  });
});
