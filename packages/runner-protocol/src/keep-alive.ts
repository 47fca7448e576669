/** The part of a WebSocket that is needed. */
type Socket = {
  ping: () => void;
  terminate: () => void;
  on: (event: 'pong' | 'message', listener: () => void) => unknown;
  once: (event: 'close', listener: () => void) => unknown;
};

/** The close code of a runner that stops (RFC 6455). Without it the runner crashed, or the connection broke. */
export const GOING_AWAY = 1001;

const PING_MS = 5_000;

/** Closes an open socket whose other side is silent for two pings: its machine or its network is gone. */
export function keepAlive(socket: Socket): void {
  let silentPings = 0;
  const heard = () => {
    silentPings = 0;
  };
  const timer = setInterval(() => {
    silentPings += 1;
    if (silentPings > 2) socket.terminate();
    else socket.ping();
  }, PING_MS);
  socket.on('pong', heard);
  socket.on('message', heard);
  socket.once('close', () => clearInterval(timer));
}
