/** JSON-RPC requests to a node, over HTTP or a websocket. */
import { createClient, http, TimeoutError, type WebSocketTransport, webSocket, withTimeout } from 'viem';

export type JsonRpc = {
  /** Sends one request. Rejects with an error of viem when the node answers with one. */
  request: (method: string, params: unknown[]) => Promise<unknown>;
  /** Subscribes to new heads until `onLost` is called. Resolves to false over HTTP, so that the caller must poll. */
  onHead: (callback: () => void, onLost: () => void) => Promise<boolean>;
  close: () => void;
};

type Socket = Awaited<ReturnType<ReturnType<typeof openClient>['transport']['getRpcClient']>>;
type Shared = { users: number; opening?: Promise<Socket> | undefined };

/** By URL: viem shares one socket between its clients. */
const sockets = new Map<string, Shared>();

/** Opens a node. A websocket that was lost is opened again by the next request. */
export function openJsonRpc(url: string, timeoutMs: number): JsonRpc {
  if (/^wss?:/.test(url)) return openSocket(url, timeoutMs);
  // Callers have their own retries.
  const client = createClient({ transport: http(url, { retryCount: 0, timeout: timeoutMs }) });
  return {
    request: (method, params) => client.request({ method, params } as never),
    onHead: async () => false,
    close: () => {},
  };
}

const openClient = (url: string, timeout: number) =>
  createClient<WebSocketTransport>({
    transport: webSocket(url, { retryCount: 0, timeout, reconnect: false }),
  });
const isOpen = ({ socket }: Socket): boolean => socket.readyState === socket.OPEN;

function openSocket(url: string, timeoutMs: number): JsonRpc {
  const client = openClient(url, timeoutMs);
  const { getRpcClient } = client.transport;
  const shared = sockets.get(url) ?? { users: 0 };
  sockets.set(url, shared);
  shared.users++;

  /** viem keeps a lost socket until it is closed. */
  const connect = async (): Promise<Socket> => {
    const kept = await getRpcClient();
    if (isOpen(kept)) return kept;
    kept.close();
    return getRpcClient();
  };
  /** Together with concurrent requests: viem would open a socket for each. */
  const connected = (): Promise<Socket> => {
    shared.opening ??= withTimeout(connect, { timeout: timeoutMs })
      .catch((cause: unknown) => {
        throw new Error('failed to connect to the node', { cause });
      })
      .finally(() => {
        shared.opening = undefined;
      });
    return shared.opening;
  };

  return {
    async request(method, params) {
      const socket = await connected();
      return client.request({ method, params } as never).catch((error: unknown) => {
        // A connection can be lost without a sign.
        if (error instanceof TimeoutError && isOpen(socket)) socket.close();
        throw error;
      });
    },
    async onHead(callback, onLost) {
      await connected();
      const { subscribe } = client.transport;
      await withTimeout(() => subscribe({ params: ['newHeads'], onData: callback, onError: onLost }), {
        timeout: timeoutMs,
      });
      return true;
    },
    close() {
      shared.users--;
      if (shared.users > 0) return;
      getRpcClient().then(
        (socket) => socket.close(),
        () => {},
      );
    },
  };
}
