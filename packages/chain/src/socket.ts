/** JSON-RPC over a websocket, for requests and subscriptions, or over either transport for requests. */
import {
  type Client,
  createClient,
  TimeoutError,
  type WebSocketTransport,
  webSocket,
  withTimeout,
} from 'viem';
import { type Call, type Options, openJsonRpc } from './json-rpc.ts';

export type Node = {
  /** Sends one request, without retries. Rejects with an error of viem when the node answers with one. */
  request: (call: Call) => Promise<unknown>;
  close: () => void;
};

/** A lost connection is opened again by the next request. */
export type Socket = Node & {
  /** Calls back with each notification until `onLost` is called, once or more. Rejects when there is no subscription. */
  subscribe: (
    params: unknown[],
    onData: (data: unknown) => void,
    onLost: (error: unknown) => void,
  ) => Promise<void>;
  /** Ends the connection with its subscriptions. The next request opens another. */
  drop: () => void;
};

type Connection = Awaited<ReturnType<ReturnType<typeof openClient>['transport']['getRpcClient']>>;
type Shared = { users: number; opening?: Promise<Connection> | undefined; opened?: Connection };

/** By URL: viem shares one connection between its clients. */
const connections = new Map<string, Shared>();

const openClient = (url: string, timeout: number) =>
  createClient<WebSocketTransport>({
    transport: webSocket(url, { retryCount: 0, timeout, reconnect: false }),
  });
const isOpen = ({ socket }: Connection): boolean => socket.readyState === socket.OPEN;

const sendWith =
  (client: Client) =>
  (call: Call): Promise<unknown> =>
    client.request(call as never);

export const isSocketUrl = (url: string): boolean => /^wss?:/.test(url);

export function openNode(url: string, timeoutMs: number, options: Pick<Options, 'isBatching'> = {}): Node {
  if (isSocketUrl(url)) return openSocket(url, timeoutMs);
  const { transport } = openJsonRpc(url, { ...options, timeoutMs, retryCount: 0, retryDelayMs: 0 });
  return { request: sendWith(createClient({ transport })), close: () => {} };
}

/** The connection of one URL: opened when it is needed, and again when it was lost. */
function openConnection(
  getRpcClient: () => Promise<Connection>,
  shared: Shared,
  timeoutMs: number,
): { connected: () => Promise<Connection>; drop: () => void } {
  /** viem keeps a lost connection until it is closed. */
  const connect = async (): Promise<Connection> => {
    let connection = await getRpcClient();
    if (!isOpen(connection)) {
      connection.close();
      connection = await getRpcClient();
    }
    shared.opened = connection;
    return connection;
  };
  return {
    /** Concurrent requests share one attempt, because viem would open a connection for each. */
    connected() {
      shared.opening ??= withTimeout(connect, { timeout: timeoutMs })
        .catch((cause: unknown) => {
          throw new Error('failed to connect to the node', { cause });
        })
        .finally(() => {
          shared.opening = undefined;
        });
      return shared.opening;
    },
    drop: () =>
      void (shared.opening ?? Promise.resolve(shared.opened)).then(
        (connection) => connection?.close(),
        () => {},
      ),
  };
}

export function openSocket(url: string, timeoutMs: number): Socket {
  const client = openClient(url, timeoutMs);
  const send = sendWith(client);
  const { getRpcClient, subscribe } = client.transport;
  const shared = connections.get(url) ?? { users: 0 };
  connections.set(url, shared);
  shared.users++;
  const { connected, drop } = openConnection(getRpcClient, shared, timeoutMs);
  return {
    async request(call) {
      const connection = await connected();
      return send(call).catch((error: unknown) => {
        // A connection can be lost without a sign.
        if (error instanceof TimeoutError && isOpen(connection)) connection.close();
        throw error;
      });
    },
    async subscribe(params, onData, onLost) {
      await connected();
      const subscription = {
        params: params as ['newHeads'],
        onData: (data) => onData(data.result),
        onError: onLost,
      } satisfies Parameters<typeof subscribe>[0];
      await withTimeout(() => subscribe(subscription), { timeout: timeoutMs }).catch((error: unknown) => {
        // A refusal of the subscription is not an Error: such a node still answers other requests.
        if (error instanceof Error) drop();
        throw error;
      });
    },
    drop,
    close() {
      if (--shared.users === 0) drop();
    },
  };
}

/** Sockets to several endpoints, one of which is used at a time. */
export type Sockets = {
  /** Returns the socket of the endpoint after the last one. */
  next: () => Socket;
  close: () => void;
};

export function openSockets(urls: readonly string[], timeoutMs: number): Sockets {
  let uses = 0;
  let used: Socket | undefined;
  return {
    next() {
      const url = urls[uses++ % urls.length] as string;
      if (used && urls.length === 1) return used;
      used?.close();
      used = openSocket(url, timeoutMs);
      return used;
    },
    close: () => used?.close(),
  };
}

const REOPEN_MS = 1_000;

/**
 * Keeps something open that can be lost: opens it again a second later.
 *
 * @param open - Opens it. Calls back when it is lost.
 * @returns A function that gives it up.
 */
export function keepOpen<Opened>(
  open: (lose: (error: unknown) => void) => Promise<Opened>,
  on: { open: (opened: Opened) => void; lost: (error: unknown) => void },
): () => void {
  let reopen: NodeJS.Timeout | undefined;
  let isEnded = false;
  const start = (): void => {
    let isLost = false;
    const lose = (error: unknown): void => {
      if (isLost || isEnded) return;
      isLost = true;
      on.lost(error);
      reopen = setTimeout(start, REOPEN_MS);
    };
    open(lose).then((opened) => {
      if (!isLost && !isEnded) on.open(opened);
    }, lose);
  };
  start();
  return () => {
    isEnded = true;
    clearTimeout(reopen);
  };
}
