/**
 * Proxies between a process and its peers that report every message before it is forwarded, and again when it is
 * answered.
 */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Returns true to close the connection before the message, or its answer, is forwarded. */
export type OnMessage = (label: string, moment: 'sent' | 'answered') => boolean;

type MessageProxy = AsyncDisposable & { port: number; url: string };

async function listening(
  server: Server | ReturnType<typeof createHttpServer>,
  close: () => void,
): Promise<MessageProxy> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      close();
      await once(server.close(), 'close');
    },
  };
}

/** Starts a proxy for an HTTP server. `labelRequest` names a request by its request line and body. */
export function startHttpProxy(
  target: string,
  labelRequest: (line: string, body: string) => string,
  onMessage: OnMessage,
): Promise<MessageProxy> {
  const server = createHttpServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', async () => {
      const body = Buffer.concat(chunks);
      const label = labelRequest(`${req.method} ${req.url}`, body.toString());
      try {
        if (onMessage(label, 'sent')) throw new Error('cut');
        const { host: _, connection: __, 'content-length': ___, ...headers } = req.headers;
        const response = await fetch(target + req.url, {
          method: req.method ?? 'GET',
          headers: headers as Record<string, string>,
          ...(body.length > 0 && { body }),
        });
        const answer = Buffer.from(await response.arrayBuffer());
        if (onMessage(label, 'answered')) throw new Error('cut');
        res
          .writeHead(response.status, {
            'content-type': response.headers.get('content-type') ?? 'application/json',
          })
          .end(answer);
      } catch {
        req.socket.destroy();
      }
    });
  });
  return listening(server, () => server.closeAllConnections());
}

const READY_FOR_QUERY = 'Z';
const PARSE = 'P';
const BIND = 'B';
const QUERY = 'Q';

/** Starts a proxy for PostgreSQL: a message is a statement, labelled with its first three words. */
export function startPostgresProxy(port: number, onMessage: OnMessage): Promise<MessageProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const pending: string[] = [];
    /** Texts by the name of their statement, which can be empty. A named one is parsed once and bound each time. */
    const parsed = new Map<string, string>();
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    // The first message of a client has no type byte.
    const fromClient = reader(false, (type, body) => {
      if (type !== PARSE && type !== BIND && type !== QUERY) return true;
      const [first = '', second = ''] = body.toString().split('\0', 2);
      if (type === PARSE) {
        parsed.set(first, second);
        return true;
      }
      const label = labelStatement(type === BIND ? (parsed.get(second) ?? '') : first);
      if (onMessage(label, 'sent')) return false;
      pending.push(label);
      return true;
    });
    const fromServer = reader(true, (type) => {
      const label = type === READY_FOR_QUERY ? pending.shift() : undefined;
      return label === undefined || !onMessage(label, 'answered');
    });
    client.on('data', (chunk) => (fromClient(chunk) ? upstream.write(chunk) : cut()));
    upstream.on('data', (chunk) => (fromServer(chunk) ? client.write(chunk) : cut()));
  });
  return listening(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

const labelStatement = (text: string): string => text.replaceAll('"', '').split(/\s+/).slice(0, 3).join(' ');

/** Splits a stream into messages for `take`. Returns false as soon as `take` does. */
function reader(hasType: boolean, take: (type: string, body: Buffer) => boolean) {
  let rest: Buffer = Buffer.alloc(0);
  let isTyped = hasType;
  return (chunk: Buffer): boolean => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const at = isTyped ? 1 : 0;
      if (rest.length < at + 4) return true;
      const end = at + rest.readUInt32BE(at);
      if (rest.length < end) return true;
      const type = isTyped ? String.fromCharCode(rest[0] as number) : '';
      const body = rest.subarray(at + 4, end);
      rest = rest.subarray(end);
      isTyped = true;
      if (!take(type, body)) return false;
    }
  };
}
