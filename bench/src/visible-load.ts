// Forked process: sends writes to the contract, and answers with the times from each log until a list shows the group.
import { setTimeout as delay } from 'node:timers/promises';
import { answer } from '@latchkey/testing/forked';
import { measure, type Samples } from '@latchkey/testing/measure';
import { type Address, createPublicClient, createWalletClient, type Hex, http, webSocket } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';

export type Visits = {
  rpcUrl: string;
  wsUrl: string;
  payerKey: Hex;
  to: Address;
  data: Hex;
  /** The list, with the number of groups in X-Total-Count. */
  url: string;
  headers: Record<string, string>;
  count: number;
};

const POLL_MS = 2;
/** Between two writes, so that the index of the other list is not busy. */
const PAUSE_MS = 100;
const DEADLINE_MS = 30_000;

async function total({ url, headers }: Visits): Promise<number> {
  const reply = await fetch(url, { headers, signal: AbortSignal.timeout(DEADLINE_MS) });
  const body = await reply.text();
  const count = reply.headers.get('X-Total-Count');
  if (!reply.ok || count === null) throw new Error(`${url} returned ${reply.status}: ${body}`);
  return Number(count);
}

async function visit(visits: Visits): Promise<Samples> {
  const { rpcUrl, wsUrl, payerKey, to, data } = visits;
  const shared = { chain: foundry, cacheTime: 0 };
  const wallet = createWalletClient({
    ...shared,
    transport: http(rpcUrl),
    account: privateKeyToAccount(payerKey),
  });
  const watcher = createPublicClient({ ...shared, transport: webSocket(wsUrl) });
  let onLog = () => {};
  const stop = watcher.watchEvent({ address: to, onLogs: () => onLog() });
  // The reply shows that the subscription, which was requested first, exists.
  await watcher.getChainId();
  let expected = await total(visits);
  try {
    return await measure(
      {
        async prepare() {
          await delay(PAUSE_MS);
          const { promise, resolve, reject } = Promise.withResolvers<void>();
          const timer = setTimeout(() => reject(new Error('a log did not arrive')), DEADLINE_MS);
          onLog = resolve;
          expected++;
          await wallet.sendTransaction({ to, data });
          await promise;
          clearTimeout(timer);
        },
        async run() {
          const deadline = performance.now() + DEADLINE_MS;
          while ((await total(visits)) < expected) {
            if (performance.now() > deadline) throw new Error(`${visits.url} does not show a group`);
            await delay(POLL_MS);
          }
        },
      },
      visits.count,
      1,
    );
  } finally {
    stop();
  }
}

answer(visit);
