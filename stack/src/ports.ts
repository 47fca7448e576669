import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { StackError } from './root.ts';

const HOST = '127.0.0.1';

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
    const server = createServer().listen(port, HOST);
    try {
      await once(server, 'listening');
    } catch (cause) {
      throw new StackError(`Port ${port} (${name}) cannot be used: ${(cause as Error).message}`, { cause });
    }
    open.defer(async () => void (await once(server.close(), 'close')));
    chosen[name] = (server.address() as AddressInfo).port;
  }
  return chosen as Record<Name, number>;
}
