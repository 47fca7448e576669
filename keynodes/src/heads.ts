/** Follows the blocks that the chain announces over a WebSocket. */
import { createClient, type WebSocketTransport, webSocket } from 'viem';
import { z } from 'zod';

const RECONNECT_MS = 1_000;
const announcement = z.object({ result: z.object({ number: z.string().regex(/^0x[0-9a-f]{1,16}$/) }) });

/** An announced block. Each announcement is another object, also of the same number after a reorganisation. */
export type Head = { number: bigint };

export type Heads = Disposable & {
  /** Returns the last announced block, with number 0 before the first; undefined while nothing would be announced. */
  current: () => Head | undefined;
};

/** @param onLost Called when the connection ends or does not begin. It is opened again. */
export function followHeads(wsUrl: string, onLost: (error: unknown) => void): Heads {
  let current: Head | undefined;
  let isDisposed = false;
  let reconnect: NodeJS.Timeout | undefined;
  let end = async (): Promise<void> => {};

  const start = async (): Promise<void> => {
    if (isDisposed) return;
    const client = createClient<WebSocketTransport>({ transport: webSocket(wsUrl, { reconnect: false }) });
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
      current = undefined;
      onLost(error);
      reconnect = setTimeout(() => void end().then(start), RECONNECT_MS);
    };
    const onData = (data: unknown): void => {
      if (isLost || isDisposed) return;
      const announced = announcement.safeParse(data);
      if (announced.success) current = { number: BigInt(announced.data.result.number) };
      else onError(announced.error);
    };
    try {
      await client.transport.subscribe({ params: ['newHeads'], onData, onError });
      if (!isLost && !isDisposed) current ??= { number: 0n };
    } catch (error) {
      onError(error);
    }
  };
  void start();

  return {
    current: () => current,
    [Symbol.dispose]() {
      isDisposed = true;
      current = undefined;
      clearTimeout(reconnect);
      // Not awaited: an endpoint that does not answer must not hold up the end of the service.
      void end();
    },
  };
}
