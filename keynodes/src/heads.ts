/**
 * Follows the blocks that the chain announces over a WebSocket. While its blocks are used, it asks on the same connection whether the
 * last one is the latest: a connection that has become silent announces nothing. Each connection must be to the chain of the node.
 */
import { createClient, type WebSocketTransport, webSocket } from 'viem';
import { z } from 'zod';
import { BehindError, type Block } from './blocks.ts';

const RECONNECT_MS = 1_000;
/** Time for the answer to a question: a connection that takes longer is opened again. */
const TIMEOUT_MS = 3_000;
/** Time for which a block counts as confirmed: by its announcement, or by the question that found it to be the latest. */
const CONFIRMED_MS = 1_000;
const CONFIRM_EVERY_MS = 500;
/** Time after the last use in which blocks are confirmed. */
const IN_USE_MS = 10_000;
const quantity = z.string().regex(/^0x[0-9a-f]{1,16}$/);
const header = z
  .object({ number: quantity, hash: z.templateLiteral(['0x', z.string()]), timestamp: quantity })
  .transform(
    ({ number, hash, timestamp }): Head => ({
      ...{ number: BigInt(number), hash, timestampSec: Number(timestamp) },
    }),
  );
const announcement = z.object({ result: header });

/** An announced block. Each announcement is another object. */
export type Head = Block;

export type Heads = Disposable & {
  /** Returns the last announced block, before the first the latest; undefined while nothing would be announced. */
  current: () => Head | undefined;
  /** Returns the same while the endpoint has confirmed it within the last second. */
  confirmed: () => Head | undefined;
};

/** @param onLost Called when the connection ends or does not begin, or is to another chain. It is opened again. */
export function followHeads(wsUrl: string, chainId: number, onLost: (error: unknown) => void): Heads {
  let current: Head | undefined;
  let confirmedAtMs = Number.NEGATIVE_INFINITY;
  let usedAtMs = Number.NEGATIVE_INFINITY;
  let isDisposed = false;
  let reconnect: NodeJS.Timeout | undefined;
  let confirming: NodeJS.Timeout | undefined;
  let confirm = async (): Promise<void> => {};
  let end = async (): Promise<void> => {};

  const set = (head: Head | undefined, atMs: number): void => {
    current = head;
    confirmedAtMs = atMs;
  };
  const use = (): void => {
    usedAtMs = performance.now();
    if (confirming || isDisposed) return;
    confirming = setInterval(() => {
      if (performance.now() - usedAtMs < IN_USE_MS) return void confirm();
      clearInterval(confirming);
      confirming = undefined;
    }, CONFIRM_EVERY_MS);
    void confirm();
  };

  const start = async (): Promise<void> => {
    if (isDisposed) return;
    const client = createClient<WebSocketTransport>({
      transport: webSocket(wsUrl, { reconnect: false, retryCount: 0, timeout: TIMEOUT_MS }),
    });
    // viem keeps one socket per URL: a broken one must be closed before another is opened.
    end = () =>
      client.transport.getRpcClient().then(
        (socket) => socket.close(),
        () => {},
      );
    let isLost = false;
    const onError = (error: unknown): void => {
      if (isLost || isDisposed) return;
      isLost = true;
      set(undefined, Number.NEGATIVE_INFINITY);
      onLost(error);
      reconnect = setTimeout(() => void end().then(start), RECONNECT_MS);
    };
    const onData = (data: unknown): void => {
      if (isLost || isDisposed) return;
      const announced = announcement.safeParse(data);
      if (announced.success) set(announced.data.result, performance.now());
      else onError(announced.error);
    };
    let isAsking = false;
    const ask = async (): Promise<void> => {
      if (isLost || isDisposed || isAsking) return;
      isAsking = true;
      const askedAtMs = performance.now();
      try {
        const latest = header.parse(
          await client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }),
        );
        if (isLost || isDisposed) return;
        // The announcement of another block is on its way.
        if (latest.hash === (current?.hash ?? latest.hash)) set(current ?? latest, askedAtMs);
      } catch (error) {
        onError(error);
      } finally {
        isAsking = false;
      }
    };
    try {
      const found = Number(quantity.parse(await client.request({ method: 'eth_chainId' })));
      if (found !== chainId)
        throw new BehindError(`the endpoint of blocks is of chain ${found}, not ${chainId}`);
      await client.transport.subscribe({ params: ['newHeads'], onData, onError });
      // A block that is known before would be one whose successor is not announced.
      confirm = ask;
      await ask();
    } catch (error) {
      onError(error);
    }
  };
  void start();

  return {
    current: () => current,
    confirmed() {
      use();
      return performance.now() - confirmedAtMs < CONFIRMED_MS ? current : undefined;
    },
    [Symbol.dispose]() {
      isDisposed = true;
      current = undefined;
      clearTimeout(reconnect);
      clearInterval(confirming);
      // Not awaited: an endpoint that does not answer must not hold up the end of the service.
      void end();
    },
  };
}
