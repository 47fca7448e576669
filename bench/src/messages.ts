/**
 * RPC calls and SQL statements per request, and the time until a write is broadcast, observed between a relayer and its
 * node and database.
 */
import type { Stack } from '@latchkey/stack';
import { measure, summarize, warm } from '@latchkey/testing/measure';
import { startHttpProxy, startPostgresProxy } from '@latchkey/testing/message-proxies';
import { call, newAccount, newGroup } from './client.ts';
import { startOwnRelayer } from './own-relayer.ts';
import { addPayers, payerKeys } from './payers.ts';
import type { Measured } from './rows.ts';
import { openSend } from './sends.ts';

/** Labels of messages that timers send. Requests that send messages with these labels are counted without them. */
const periodic =
  /eth_getBalance|eth_getBlockByNumber|eth_maxPriorityFeePerGas|select is_new|payer,|select id from|insert into deployments/;
/** Share of the requests that is left out, those with the most messages: timers also send messages with other labels. */
const TIMED_SHARE = 0.1;
const hello = `async function main() {
  return 'hello';
}`;

/** The mean without the share that timers may have added to. */
function usualMean(counts: number[]): number {
  const kept = counts.toSorted((a, b) => a - b).slice(0, Math.ceil(counts.length * (1 - TIMED_SHARE)));
  return kept.reduce((sum, messages) => sum + messages, 0) / kept.length;
}

export async function benchMessages(stack: Stack, count: number): Promise<Measured> {
  await using resources = new AsyncDisposableStack();
  await addPayers(stack);
  const counted = { rpc: 0, statements: 0 };
  let onBroadcast = () => {};
  const counter = (kind: keyof typeof counted) => (label: string, moment: 'sent' | 'answered') => {
    if (moment === 'sent' && label === 'eth_sendRawTransaction') onBroadcast();
    if (moment === 'sent' && !periodic.test(label)) counted[kind]++;
    return false;
  };
  const method = (_line: string, body: string) => /"method":"(\w+)"/.exec(body)?.[1] ?? 'batch';
  const rpc = resources.use(await startHttpProxy(stack.rpcUrl, method, counter('rpc')));
  const databasePort = Number(new URL(stack.databaseUrls.relayer).port);
  const database = resources.use(await startPostgresProxy(databasePort, counter('statements')));
  const { baseUrl } = resources.use(
    await startOwnRelayer(stack, payerKeys.relayer, { rpcUrl: rpc.url, databasePort: database.port }),
  );

  const { key } = await newAccount(baseUrl);
  const { usage_api_key: usageKey } = await call<{ usage_api_key: string }>(`${baseUrl}/add_usage_api_key`, {
    key,
    body: { execute_in_groups: [0] },
  });
  const send = await openSend(stack, baseUrl);
  const perRequest = async (request: () => Promise<unknown>): Promise<number[]> => {
    await request();
    const counts: (typeof counted)[] = [];
    for (let sent = 0; sent < count; sent++) {
      Object.assign(counted, { rpc: 0, statements: 0 });
      await request();
      counts.push({ ...counted });
    }
    return [usualMean(counts.map(({ rpc }) => rpc)), usualMean(counts.map(({ statements }) => statements))];
  };
  let replied: Promise<unknown> = Promise.resolve();
  const broadcast = {
    prepare: () => replied,
    async run() {
      const sent = new Promise<void>((resolve) => {
        onBroadcast = resolve;
      });
      replied = call(`${baseUrl}/add_group`, { key, body: newGroup });
      await Promise.race([sent, replied.then(() => sent)]);
    },
  };
  await warm((size) => measure(broadcast, size, 1), count);
  const broadcasts = await measure(broadcast, 2 * count, 1);
  await replied;
  return {
    values: {
      broadcast: [summarize(broadcasts).p50Ms],
      writeMessages: await perRequest(() => call(`${baseUrl}/add_group`, { key, body: newGroup })),
      runMessages: await perRequest(() =>
        call(`${baseUrl}/svc_action`, { key: usageKey, body: { code: hello } }),
      ),
      sendMessages: await perRequest(send),
      listMessages: await perRequest(() => call(`${baseUrl}/list_groups`, { key })),
    },
  };
}
