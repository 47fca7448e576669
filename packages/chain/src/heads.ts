/**
 * Follows the blocks that a node announces over a websocket, and those of the next node when its connection is lost. While its blocks are
 * used, it asks on the same connection whether the last one is the latest: a connection that has become silent announces nothing.
 */
import type { Hash } from 'viem';
import { z } from 'zod';
import { keepOpen, openSockets, type Socket } from './socket.ts';

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
      number: BigInt(number),
      hash,
      timestampSec: Number(timestamp),
    }),
  );

/** An announced block. Each announcement is another object. */
export type Head = { number: bigint; hash: Hash; timestampSec: number };

export type Heads = Disposable & {
  /** Returns the last announced block, or the latest one before the first announcement; undefined while no block would be announced. */
  current: () => Head | undefined;
  /** Returns the same block while the node has confirmed it within the last second. */
  confirmed: () => Head | undefined;
};

export type HeadsOptions = {
  /** Each connection must be to this chain. Absent: to any. */
  chainId?: number;
  /** Called with each announced header, as the node sends it. */
  onHead?: (header: unknown) => void;
  /** Called when the connection ends or does not begin, or is to another chain. The connection is opened again. */
  onLost: (error: unknown) => void;
};

export function followHeads(wsUrls: readonly string[], { chainId, onHead, onLost }: HeadsOptions): Heads {
  const sockets = openSockets(wsUrls, TIMEOUT_MS);
  let socket: Socket;
  let subscription: Subscription | undefined;
  let usedAtMs = Number.NEGATIVE_INFINITY;
  let confirming: NodeJS.Timeout | undefined;

  const use = (): void => {
    usedAtMs = performance.now();
    if (confirming) return;
    confirming = setInterval(() => {
      if (performance.now() - usedAtMs < IN_USE_MS) return void subscription?.confirm();
      clearInterval(confirming);
      confirming = undefined;
    }, CONFIRM_EVERY_MS);
    void subscription?.confirm();
  };
  const connect = async (lose: (error: unknown) => void): Promise<Subscription> => {
    socket = sockets.next();
    const found = Number(quantity.parse(await socket.request({ method: 'eth_chainId' })));
    if (chainId !== undefined && found !== chainId)
      throw new Error(`the endpoint of blocks is of chain ${found}, not ${chainId}`);
    return subscribe(socket, onHead, lose);
  };
  const end = keepOpen(connect, {
    open(opened) {
      subscription = opened;
    },
    lost(error) {
      subscription = undefined;
      // A refusal of the subscription is not an Error: such a node still answers other requests.
      if (error instanceof Error) socket.drop();
      onLost(error);
    },
  });

  return {
    current: () => subscription?.head(),
    confirmed() {
      use();
      return subscription?.confirmed();
    },
    [Symbol.dispose]() {
      end();
      subscription = undefined;
      clearInterval(confirming);
      sockets.close();
    },
  };
}

type Subscription = Awaited<ReturnType<typeof subscribe>>;

async function subscribe(socket: Socket, onHead: HeadsOptions['onHead'], lose: (error: unknown) => void) {
  let head: Head | undefined;
  let confirmedAtMs = Number.NEGATIVE_INFINITY;
  let isAsking = false;

  const set = (block: Head, atMs: number): void => {
    head = block;
    confirmedAtMs = atMs;
  };
  const onData = (data: unknown): void => {
    const announced = header.safeParse(data);
    if (announced.success) {
      set(announced.data, performance.now());
      onHead?.(data);
    } else lose(announced.error);
  };
  const ask = async (): Promise<void> => {
    const askedAtMs = performance.now();
    const answer = await socket.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
    const latest = header.parse(answer);
    // The announcement of another block is on its way.
    if (latest.hash === (head?.hash ?? latest.hash)) set(head ?? latest, askedAtMs);
  };

  await socket.subscribe(['newHeads'], onData, lose);
  // After the subscription: the successor of a block read earlier might never be announced.
  await ask();
  return {
    head: () => head,
    confirmed: () => (performance.now() - confirmedAtMs < CONFIRMED_MS ? head : undefined),
    async confirm() {
      if (isAsking) return;
      isAsking = true;
      await ask().catch(lose);
      isAsking = false;
    },
  };
}
