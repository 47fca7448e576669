import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { StackError } from './root.ts';

const HOST = '127.0.0.1';

/**
 * Above the ports that `fetch` refuses (fetch.spec.whatwg.org, bad port), of which 10080 is the last. Below those that Linux and macOS give to
 * outgoing connections, which could take the port between this check and the start of the service.
 */
const [FIRST_PORT, LAST_PORT] = [10_081, 32_000];
const ATTEMPTS = 20;

/**
 * Returns a port per name: the wanted one, which must be free, or any free one for 0. Throws a StackError with the port
 * and its name.
 */
export async function choosePorts<Name extends string>(
  wanted: Record<Name, number>,
): Promise<Record<Name, number>> {
  await using open = new AsyncDisposableStack();
  const chosen: Record<string, number> = {};
  // All stay open until the last port is chosen, so that no two names get the same one.
  for (const [name, port] of Object.entries<number>(wanted)) {
    const server = await (port === 0 ? listenAnywhere() : listen(port)).catch((cause: Error) => {
      throw new StackError(`Port ${port} (${name}) cannot be used: ${cause.message}`, { cause });
    });
    open.defer(async () => void (await once(server.close(), 'close')));
    chosen[name] = (server.address() as AddressInfo).port;
  }
  return chosen as Record<Name, number>;
}

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, HOST);
  await once(server, 'listening');
  return server;
}

async function listenAnywhere(attempts = ATTEMPTS): Promise<Server> {
  return listen(randomInt(FIRST_PORT, LAST_PORT)).catch((error: unknown) => {
    if (attempts === 0) throw error;
    return listenAnywhere(attempts - 1);
  });
}
