/** Strangers with connections instead of requests: they send bytes over many sockets, and may never read or go on. */
import { connect, type Socket } from 'node:net';

type Shape = {
  /** Open connections. One that the service closes is opened again. */
  connections: number;
  /** Connections that are opened in total: all at first, others when one was closed. Default: without end. */
  opened?: number;
  bytes: (url: URL) => string;
  /** False for a client that never takes a reply. */
  isReading: boolean;
};

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = 'POST /core/v1/new_account HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

/** The path of the URL is the path in the description. */
export const floods = {
  'pipelined requests': {
    connections: 5,
    bytes: ({ pathname }) => get(pathname).repeat(1_400),
    isReading: true,
  },
  'half-sent bodies': {
    connections: 20_000,
    opened: 20_000,
    bytes: () => `${post}Content-Length: 1000\r\n\r\n{"account_name":`,
    isReading: true,
  },
  'half-sent headers': { connections: 2_000, opened: 20_000, bytes: () => post, isReading: true },
  'unread replies': {
    connections: 2_000,
    opened: 4_000,
    bytes: ({ pathname }) => get(pathname),
    isReading: false,
  },
  'silent connections': { connections: 2_000, opened: 20_000, bytes: () => '', isReading: true },
} as const satisfies Record<string, Shape>;
export type FloodName = keyof typeof floods;

/** Limits for short floods. */
export type Scale = Partial<Pick<Shape, 'connections' | 'opened'>>;
export type Flooded = { opened: number; closed: number; bytesRead: number };

/** Connections that are being opened: a backlog of the service that overflows would hide its own limits. */
const MAX_CONNECTING = 200;

/** Floods `url` from a loopback address until `signal` is aborted or all connections were opened and closed. */
export function flood(
  url: string,
  name: FloodName,
  { from, signal, scale }: { from: string; signal: AbortSignal; scale?: Scale },
): Promise<Flooded> {
  const target = new URL(url);
  const shape: Shape = { ...floods[name], ...scale };
  const { connections, opened = Number.POSITIVE_INFINITY, isReading } = shape;
  const bytes = shape.bytes(target);
  const sockets = new Set<Socket>();
  const done: Flooded = { opened: 0, closed: 0, bytesRead: 0 };
  const ended = Promise.withResolvers<Flooded>();
  let connecting = 0;

  const open = (): void => {
    done.opened++;
    connecting++;
    const socket = connect({
      host: target.hostname,
      port: Number(target.port),
      localAddress: from,
    });
    let isConnecting = true;
    const settle = (): void => {
      if (isConnecting) connecting--;
      isConnecting = false;
    };
    sockets.add(socket);
    socket.on('error', () => {}); // `close` follows
    socket.once('connect', () => {
      settle();
      socket.write(bytes);
      fill();
    });
    if (isReading)
      socket.on('data', (chunk) => {
        done.bytesRead += chunk.length;
      });
    socket.once('close', () => {
      settle();
      sockets.delete(socket);
      done.closed++;
      fill();
    });
  };
  const fill = (): void => {
    if (signal.aborted || (done.opened >= opened && sockets.size === 0)) ended.resolve(done);
    else while (sockets.size < connections && connecting < MAX_CONNECTING && done.opened < opened) open();
  };
  signal.addEventListener('abort', () => {
    ended.resolve({ ...done });
    for (const socket of sockets) socket.destroy();
  });
  fill();
  return ended.promise;
}
