import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './until.ts';

/** Starts a proxy in front of a websocket URL, which can be away for some time. */
export async function startProxy(target: string) {
  const port = await freePort();
  const upstream = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted++;
    const other = connect(upstream, '127.0.0.1');
    for (const [from, to] of [[socket, other] as const, [other, socket] as const]) {
      sockets.add(from);
      from.on('error', () => {}).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  const start = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  await start();
  return {
    url: `ws://127.0.0.1:${port}`,
    start,
    stop,
    /** Connections so far. */
    connections: () => accepted,
    /** Open connections stay open and transmit nothing more. */
    silence() {
      for (const socket of sockets) socket.unpipe().resume();
    },
    [Symbol.dispose]: stop,
  };
}
