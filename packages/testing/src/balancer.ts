/** A load balancer as operators run one. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const PROBE_MS = 250;
const PROBE_TIMEOUT_MS = 2_000;
/** The page of a gateway is not a reply of the service. */
const BAD_GATEWAY = '<html><h1>502 Bad Gateway</h1></html>';

export type Balancer = AsyncDisposable & { url: string };

/**
 * Sends each request to the next process whose `/ready` is 200. A process that refuses the connection is passed over; one that dies under a
 * request makes it 502, and so does the absence of a ready process.
 */
export async function startBalancer(targets: readonly string[]): Promise<Balancer> {
  const ready = new Set<string>();
  const over = new AbortController();
  const probe = async (url: string): Promise<void> => {
    while (!over.signal.aborted) {
      const timeout = AbortSignal.timeout(PROBE_TIMEOUT_MS);
      const reply = await fetch(`${url}/ready`, { signal: timeout }).catch(() => undefined);
      await reply?.body?.cancel();
      if (reply?.status === 200) ready.add(url);
      else ready.delete(url);
      await delay(PROBE_MS, undefined, { signal: over.signal }).catch(() => {});
    }
  };
  const probing = targets.map(probe);

  let turn = 0;
  const inTurn = (): string[] => {
    turn++;
    return [...targets.keys()]
      .map((index) => targets[(index + turn) % targets.length] as string)
      .filter((url) => ready.has(url));
  };
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray().catch(() => []));
    const answers = inTurn().values();
    const next = (): void => {
      const { value: url } = answers.next();
      if (url === undefined) res.writeHead(502, { 'Content-Type': 'text/html' }).end(BAD_GATEWAY);
      else forward(url, { req, res, body }, next);
    };
    next();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      over.abort();
      server.closeAllConnections();
      await once(server.close(), 'close');
      await Promise.all(probing);
    },
  };
}

type Exchange = { req: IncomingMessage; res: ServerResponse; body: Buffer };

/** `refused` is called when the process does not accept the connection. */
function forward(url: string, { req, res, body }: Exchange, refused: () => void): void {
  const headers = { ...req.headers, connection: 'close' };
  const asked = request(`${url}${req.url}`, { method: req.method, headers, agent: false });
  asked.on('response', (reply) => {
    res.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.on('error', () => res.destroy()).pipe(res);
  });
  asked.on('error', (error: NodeJS.ErrnoException) => {
    if (res.headersSent) res.destroy();
    else if (error.code === 'ECONNREFUSED') refused();
    else res.writeHead(502, { 'Content-Type': 'text/html' }).end(BAD_GATEWAY);
  });
  // A client that leaves leaves the process too.
  res.on('close', () => asked.destroy());
  asked.end(body);
}
