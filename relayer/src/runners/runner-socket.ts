/** The socket to one runner, opened again whenever it breaks. */
import { connect, isIPv6, type LookupFunction } from 'node:net';
import {
  type FromRunner,
  fromRunner,
  GOING_AWAY,
  keepAlive,
  readMessage,
  socketPath,
  type ToRunner,
  writeMessage,
} from '@latchkey/runner-protocol';
import { describeMismatch, OTHER_PROTOCOL_STATUS, protocols, spoken } from '@latchkey/service/versions';
import type { Logger } from 'pino';
import { WebSocket } from 'ws';

const RECONNECT_MS = 250;
/** Interval of attempts at a machine that cannot be used. Each costs a TLS handshake, and a forged answer of DNS can name many machines. */
const REFUSED_MS = 1_000;
/** Messages of a runner: results and arguments of key functions, each at most a megabyte of an action's text. */
const MAX_REPLY_BYTES = 8 * 1024 * 1024;

type Hello = Extract<FromRunner, { type: 'hello' }>;
/** Messages of a runner after its first one. */
export type RunnerMessage = Exclude<FromRunner, Hello>;

export type SocketOptions = {
  /** `unix:<path>`, `ws://…` or `wss://…`. */
  url: string;
  /** Connects to this address of the host in the URL. */
  address?: string;
  token: string | undefined;
  /** The limit that the relayer tells its users. */
  memoryLimitMb: number;
  log: Logger;
  onOpen: (hello: Pick<Hello, 'attested' | 'keyGroup' | 'version'>) => void;
  onMessage: (message: RunnerMessage) => void;
  /** Called when the connection closes, and when it does not open. `isStop` when the runner announced it. */
  onClose: (isStop: boolean) => void;
};

export type RunnerSocket = {
  /** True once the runner has said hello. */
  isOpen: () => boolean;
  /** Returns whether the socket is open with this version of the protocol, or a later one. */
  speaks: (version: number) => boolean;
  /** Why the last attempt found no runner that this relayer can use; undefined while it is only away. */
  fault: () => string | undefined;
  /** Does nothing while the socket is not open. */
  send: (message: ToRunner, body?: Uint8Array) => void;
  close: () => void;
};

export function openRunnerSocket(options: SocketOptions): RunnerSocket {
  const { url, address, memoryLimitMb: limit, log } = options;
  let socket: WebSocket | undefined;
  let isOpen = false;
  let isClosed = false;
  let reconnect: NodeJS.Timeout | undefined;
  let fault: string | undefined;
  /** The fault of the present attempt. */
  let reason: string | undefined;
  const refuse = (found: string): void => {
    if (fault !== found) log.error({ url, address, reason: found }, 'a runner cannot be used');
    reason = found;
    socket?.terminate();
  };

  const greet = ({ memoryLimitMb, walls, ...hello }: Hello): void => {
    if (memoryLimitMb < limit) {
      refuse(`a runner has a RUN_MEMORY_LIMIT_MB of ${memoryLimitMb}, this relayer ${limit}`);
      return;
    }
    isOpen = true;
    fault = undefined;
    log.info({ url, address, walls }, 'connected to a runner');
    options.onOpen(hello);
  };

  const lose = (code: number): void => {
    if (isOpen && !isClosed) log.error({ url, address }, 'lost a runner and its runs');
    isOpen = false;
    fault = reason;
    options.onClose(code === GOING_AWAY);
    if (!isClosed) reconnect = setTimeout(open, reason === undefined ? RECONNECT_MS : REFUSED_MS);
  };

  const open = (): void => {
    reason = undefined;
    const opening = openWebSocket(options, refuse);
    socket = opening;
    opening.on('close', lose);
    onMessage(opening, options, (message) => {
      if (message.type === 'hello') greet(message);
      else options.onMessage(message);
    });
  };
  open();

  return {
    isOpen: () => isOpen,
    speaks: (version) => isOpen && spoken(protocols.runner, version).includes(socket?.protocol ?? ''),
    fault: () => fault,
    send(message, body) {
      if (isOpen) socket?.send(writeMessage(message, body));
    },
    close() {
      isClosed = true;
      clearTimeout(reconnect);
      socket?.terminate();
    },
  };
}

function onMessage(
  socket: WebSocket,
  { url, log }: Pick<SocketOptions, 'url' | 'log'>,
  take: (message: FromRunner) => void,
): void {
  socket.on('message', (data: Buffer) => {
    try {
      take(readMessage(fromRunner, data).message);
    } catch (err) {
      log.error({ err, url }, 'a runner sent an invalid message: closing the connection');
      socket.terminate();
    }
  });
}

/** Finds this address only, so that TLS verifies the certificate for the host of the URL, before anything is sent. */
const findOnly =
  (address: string): LookupFunction =>
  (_host, { all }, callback) => {
    const family = isIPv6(address) ? 6 : 4;
    if (all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };

/** Matches the codes of certificates that do not hold, such as ERR_TLS_CERT_ALTNAME_INVALID. */
const CERTIFICATE_CODE = /CERT|LEAF_SIGNATURE/;

/** @param refuse Called when the runner has another version, or no certificate that holds. `close` follows. */
function openWebSocket(
  { url, address, token, log }: Pick<SocketOptions, 'url' | 'address' | 'token' | 'log'>,
  refuse: (reason: string) => void,
): WebSocket {
  const path = /^unix:(.+)$/.exec(url)?.[1];
  const socket = new WebSocket(path === undefined ? url : 'ws://runner', spoken(protocols.runner), {
    maxPayload: MAX_REPLY_BYTES,
    handshakeTimeout: 5_000,
    perMessageDeflate: false,
    ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
    ...(address !== undefined && { lookup: findOnly(address) }),
    ...(path !== undefined && { createConnection: () => connect(socketPath(path)) }),
  });
  socket.on('open', () => keepAlive(socket));
  socket.on('error', (err: NodeJS.ErrnoException) => {
    log.debug({ err, url, address }, 'the connection to a runner failed');
    if (CERTIFICATE_CODE.test(err.code ?? ''))
      refuse(`the certificate of a runner does not hold: ${err.code}`);
  });
  socket.on('unexpected-response', (_request, { statusCode, headers }) => {
    const speaks = headers['sec-websocket-protocol'] ?? 'another protocol';
    if (statusCode === OTHER_PROTOCOL_STATUS)
      refuse(describeMismatch(protocols.runner, speaks, ['a runner', 'this relayer']));
    else socket.terminate();
  });
  return socket;
}
