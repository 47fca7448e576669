/**
 * Limits what clients can hold of a server by their connections: one request at a time on each, a number of connections and of
 * unsent bytes per client network and in total, and time to take a reply.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { collectGarbageSoon } from '@latchkey/service/collect-garbage';
import { clientNetwork } from './client-network.ts';
import { PointCounter } from './point-counter.ts';

export type ConnectionLimits = {
  /** Connections in total. Keep it below the limit of open files. */
  total: number;
  /** Connections per client network; all connections through a proxy count as the proxy's. */
  perAddress: number;
  /** Bytes of replies that all clients together have not taken. A network's share of them is its share of the connections. */
  unsentBytes: number;
  /** Time without a byte taken after which a connection with unsent bytes is closed. */
  takeTimeoutMs: number;
};

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  total: 8_192,
  perAddress: 1_024,
  unsentBytes: 128 * 1024 * 1024,
  takeTimeoutMs: 30_000,
};

/** Requests that are ignored before the reply to an earlier one. Each takes memory until then, so further ones close the connection. */
const MAX_IGNORED = 8;
/** Ignored requests of a network in ten seconds after which its new connections are closed: Node parses all that arrive with the first. */
const MAX_IGNORED_OF_NETWORK = 10_000;
/** Time for a client to read the reply before a reset, when it sent more than one request. */
const LINGER_MS = 2_000;
const SWEEP_MS = 1_000;
/** Time without a forced close of a connection after which a flood counts as over. */
const CALM_MS = 5_000;

/** The part of a connection by which the ones to close are chosen. */
export type Connection = {
  /** Its request, until the reply has ended. */
  request: Pick<IncomingMessage, 'complete'> | undefined;
  socket: Pick<Socket, 'writableLength' | 'destroy'>;
};

/** True while the service waits for the client: for the rest of a request, or until it takes the reply. */
const isWaiting = ({ request, socket }: Connection): boolean =>
  request?.complete !== true || socket.writableLength > 0;

/** Returns the connection that waits for the longest time, in a set in the order in which the connections became idle. */
function longestWaiting<C extends Connection>(connections: Iterable<C>): C | undefined {
  for (const connection of connections) if (isWaiting(connection)) return connection;
  return undefined;
}

/**
 * Returns the connection to close for a new one, of the network with the most connections: strangers who hold many make room
 * before others. Undefined when every connection has a request that is being answered.
 */
export function toReplace<C extends Connection>(networks: Iterable<Set<C>>): C | undefined {
  let chosen: C | undefined;
  let most = 0;
  for (const connections of networks) {
    if (connections.size <= most) continue;
    const waiting = longestWaiting(connections);
    if (!waiting) continue;
    chosen = waiting;
    most = connections.size;
  }
  return chosen;
}

/** Returns the connections to close so that at most `maxBytes` are unsent: the fullest first. */
export function overUnsent<C extends Connection>(connections: Iterable<C>, maxBytes: number): C[] {
  const sending = [...connections].filter(({ socket }) => socket.writableLength > 0);
  let bytes = sending.reduce((sum, { socket }) => sum + socket.writableLength, 0);
  const closed: C[] = [];
  if (bytes <= maxBytes) return closed;
  for (const connection of sending.sort((a, b) => b.socket.writableLength - a.socket.writableLength)) {
    if (bytes <= maxBytes) break;
    bytes -= connection.socket.writableLength;
    closed.push(connection);
  }
  return closed;
}

type OpenConnection = Connection & { socket: Socket; network: string; isTimed: boolean; ignored: number };
type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** Limits the connections of `server`. Returns its request handler, which passes one request at a time of each connection on to `handle`. */
export function limitConnections(server: Server, limits: ConnectionLimits, handle: Handler): Handler {
  const connections = new Connections(limits);
  server.on('connection', (socket) => connections.add(socket));
  const sweep = setInterval(() => connections.sweep(), SWEEP_MS);
  sweep.unref();
  server.once('close', () => clearInterval(sweep));
  return (req, res) => {
    if (connections.take(req, res)) handle(req, res);
  };
}

/** The open connections of a server. */
class Connections {
  readonly #limits: ConnectionLimits;
  readonly #networks = new Map<string, Set<OpenConnection>>();
  readonly #bySocket = new WeakMap<Socket, OpenConnection>();
  readonly #ignored = new PointCounter({ points: MAX_IGNORED_OF_NETWORK, duration: 10 });
  #count = 0;
  #floodedAtMs: number | undefined;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Makes room for a new connection, or closes it. */
  add(socket: Socket): void {
    const { total, perAddress } = this.#limits;
    const network = clientNetwork(socket.remoteAddress ?? '');
    const own = this.#networks.get(network);
    const isFull = own !== undefined && own.size >= perAddress;
    if (isFull || this.#count >= total) {
      const replaced = toReplace(isFull ? [own] : this.#networks.values());
      this.#close(replaced?.socket ?? socket);
      if (!replaced) return;
      // Here, because its 'close' is emitted after this turn.
      this.#forget(replaced);
    }
    const connection: OpenConnection = { socket, network, request: undefined, isTimed: false, ignored: 0 };
    this.#bySocket.set(socket, connection);
    this.#networks.set(network, (this.#networks.get(network) ?? new Set()).add(connection));
    this.#count++;
    socket.once('close', () => {
      this.#forget(connection);
      const isProxied = perAddress >= total;
      if (connection.ignored > 0 && !isProxied) void this.#ignored.penalty(network, connection.ignored);
    });
    // Resolves before the socket is read.
    void this.#ignored.get(network).then((known) => {
      if (known?.remainingPoints === 0) this.#close(socket);
    });
  }

  /** Closes connections whose client takes no reply, then the ones with the most unsent bytes while there are too many. */
  sweep(): void {
    const { total, perAddress, unsentBytes, takeTimeoutMs } = this.#limits;
    const share = unsentBytes * Math.min(1, perAddress / total);
    const all: OpenConnection[] = [];
    for (const own of this.#networks.values()) {
      for (const { socket } of overUnsent(own, share)) this.#close(socket);
      all.push(...own);
    }
    for (const { socket } of overUnsent(all, unsentBytes)) this.#close(socket);
    for (const connection of all) limitTime(connection, takeTimeoutMs);
    if (this.#floodedAtMs !== undefined && performance.now() - this.#floodedAtMs > CALM_MS) {
      this.#floodedAtMs = undefined;
      // An idle service would keep what the flood has left.
      collectGarbageSoon();
    }
  }

  /** Returns true when the request is to be handled: the connection has no other request. */
  take(req: IncomingMessage, res: ServerResponse): boolean {
    const { socket } = req;
    const connection = this.#bySocket.get(socket);
    if (!connection) return false;
    if (connection.request) {
      // RFC 9112, section 9.3.2: clients send such requests again.
      if (++connection.ignored === MAX_IGNORED + 1) this.#close(socket);
      return false;
    }
    connection.request = req;
    res.once('close', () => this.#end(connection));
    return true;
  }

  #end(connection: OpenConnection): void {
    if (connection.ignored > 0) {
      connection.socket.end();
      setTimeout(() => connection.socket.destroy(), LINGER_MS).unref();
      return;
    }
    connection.request = undefined;
    connection.isTimed = false;
    const own = this.#networks.get(connection.network);
    if (own?.delete(connection)) own.add(connection);
  }

  #close(socket: Socket): void {
    this.#floodedAtMs = performance.now();
    socket.destroy();
  }

  #forget(connection: OpenConnection): void {
    const own = this.#networks.get(connection.network);
    if (!own?.delete(connection)) return;
    this.#count--;
    if (own.size === 0) this.#networks.delete(connection.network);
  }
}

/** Node closes the connection when nothing of the unsent bytes is taken in this time. */
function limitTime(connection: OpenConnection, takeTimeoutMs: number): void {
  const isSending = connection.request !== undefined && connection.socket.writableLength > 0;
  if (isSending === connection.isTimed) return;
  connection.isTimed = isSending;
  connection.socket.setTimeout(isSending ? takeTimeoutMs : 0);
}
