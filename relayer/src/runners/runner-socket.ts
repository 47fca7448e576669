/** The socket to one runner, opened again whenever it breaks. */
import { connect } from 'node:net';
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
import type { Logger } from 'pino';
import { WebSocket } from 'ws';

const RECONNECT_MS = 250;
/** Messages of a runner: results and arguments of key functions, each at most a megabyte of an action's text. */
const MAX_REPLY_BYTES = 8 * 1024 * 1024;

type Hello = Extract<FromRunner, { type: 'hello' }>;
/** Messages of a runner after its first one. */
export type RunnerMessage = Exclude<FromRunner, Hello>;

export type SocketOptions = {
  /** `unix:<path>`, `ws://…` or `wss://…`. */
  url: string;
  token: string | undefined;
  /** The limit that the relayer tells its users. */
  memoryLimitMb: number;
  log: Logger;
  /** @param attested Public key of a runner in an enclave. */
  onOpen: (attested: string | undefined) => void;
  onMessage: (message: RunnerMessage) => void;
  /** Called when the connection closes, and when it does not open. `isStop` when the runner announced it. */
  onClose: (isStop: boolean) => void;
};

export type RunnerSocket = {
  /** True once the runner has said hello. */
  isOpen: () => boolean;
  /** Does nothing while the socket is not open. */
  send: (message: ToRunner, body?: Uint8Array) => void;
  close: () => void;
};

export function openRunnerSocket(options: SocketOptions): RunnerSocket {
  const { url, log } = options;
  let socket: WebSocket | undefined;
  let isOpen = false;
  let isClosed = false;
  let reconnect: NodeJS.Timeout | undefined;

  const greet = ({ memoryLimitMb, walls, attested }: Hello): void => {
    if (memoryLimitMb < options.memoryLimitMb) {
      const limits = { runner_mb: memoryLimitMb, relayer_mb: options.memoryLimitMb };
      log.error({ url, ...limits }, 'a runner has a lower RUN_MEMORY_LIMIT_MB than this relayer');
      socket?.terminate();
      return;
    }
    isOpen = true;
    log.info({ url, walls }, 'connected to a runner');
    options.onOpen(attested);
  };

  const lose = (code: number): void => {
    if (isOpen && !isClosed) log.error({ url }, 'lost a runner and its runs');
    isOpen = false;
    options.onClose(code === GOING_AWAY);
    if (!isClosed) reconnect = setTimeout(open, RECONNECT_MS);
  };

  const open = (): void => {
    const opening = openWebSocket(url, options.token);
    socket = opening;
    opening.on('open', () => keepAlive(opening));
    // `close` follows.
    opening.on('error', (err) => log.debug({ err, url }, 'the connection to a runner failed'));
    opening.on('close', lose);
    opening.on('message', (data: Buffer) => {
      try {
        const { message } = readMessage(fromRunner, data);
        if (message.type === 'hello') greet(message);
        else options.onMessage(message);
      } catch (err) {
        log.error({ err, url }, 'a runner sent an invalid message: closing the connection');
        opening.terminate();
      }
    });
  };
  open();

  return {
    isOpen: () => isOpen,
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

function openWebSocket(url: string, token: string | undefined): WebSocket {
  const path = /^unix:(.+)$/.exec(url)?.[1];
  return new WebSocket(path === undefined ? url : 'ws://runner', {
    maxPayload: MAX_REPLY_BYTES,
    handshakeTimeout: 5_000,
    perMessageDeflate: false,
    ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
    ...(path !== undefined && { createConnection: () => connect(socketPath(path)) }),
  });
}
