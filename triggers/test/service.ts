/** Starts the service in this process, with its own database and a stand-in for the relayer. */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { listen, metricsApp } from '@latchkey/http';
import { createApp } from '../src/app.ts';
import { NO_ACCOUNT } from '../src/auth/authority.ts';
import { hashToken } from '../src/auth/secrets.ts';
import { loadConfig } from '../src/config.ts';
import { openContext } from '../src/context.ts';
import { agentTokens } from '../src/db/schema.ts';
import { createTriggersDatabase, settingsFor } from './database.ts';
import { addUser } from './fixtures.ts';
import { startRelayerStandIn } from './relayer-stand-in.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of bodies.
export type Reply = { status: number; headers: Headers; body: any };

export type Service = Awaited<ReturnType<typeof startService>>;

/** Disables limits per address, because all tests share one address. */
const noLimits = Object.fromEntries(
  [
    'PAIRINGS_PER_MINUTE_PER_ADDRESS',
    'PAIRING_POLLS_PER_MINUTE_PER_ADDRESS',
    'LOGINS_PER_MINUTE_PER_ADDRESS',
    'UNKNOWN_TOKENS_PER_MINUTE_PER_ADDRESS',
    'WEBHOOKS_PER_MINUTE_PER_ADDRESS',
    'WEBHOOKS_PER_MINUTE_PER_ACCOUNT',
  ].map((name) => [name, '1000000']),
);

export async function startService(settings: Record<string, string> = {}) {
  const relayer = await startRelayerStandIn();
  const database = await createTriggersDatabase();
  const config = loadConfig({
    LOG_LEVEL: 'silent',
    RELAYER_URLS: relayer.url,
    ...noLimits,
    ...settingsFor(database),
    ...settings,
  });
  const { context, resources, listensAt } = await openContext(config);
  const http = await listen(createApp(context), 0, '127.0.0.1');
  const metrics = await listen(metricsApp(context.metrics), 0);
  listensAt(http.url);

  const fetchFrom = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(`${http.url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  const dispose = async () => {
    await http.close();
    await metrics.close();
    await resources[Symbol.asyncDispose]();
    await relayer[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  };
  return {
    url: http.url,
    metricsUrl: `${metrics.url}/metrics`,
    relayer,
    context,
    db: context.db,
    /** Adds a user with a paired agent. Resolves to the token of the agent. */
    async newAgent(): Promise<{ token: string; userId: string }> {
      const [userId, token] = [await addUser(context.db), randomBytes(32).toString('hex')];
      await context.db.insert(agentTokens).values({
        tokenHash: hashToken(token),
        userId,
        label: 'test',
        authority: NO_ACCOUNT,
        expiresAt: new Date(Date.now() + 60_000_000),
      });
      return { token, userId };
    },
    /** Sends a request, with the token of an agent if given. */
    async ask(method: string, path: string, token?: string, body?: unknown): Promise<Reply> {
      const bearer = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const response = await fetchFrom(method, path, body, bearer);
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    post: (path: string, body: unknown, headers?: Record<string, string>) =>
      fetchFrom('POST', path, body, headers),
    /** Sends a POST with exactly these header lines and bytes. */
    postRaw: (path: string, body: Uint8Array | string, lines: readonly string[] = []): Promise<Reply> =>
      postRaw(new URL(path, http.url), Buffer.from(body), lines),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

function postRaw(
  { hostname, port, pathname, search }: URL,
  body: Buffer,
  lines: readonly string[],
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', text = ''] = Buffer.concat(received).toString().split('\r\n\r\n');
      const [first = '', ...rest] = head.split('\r\n');
      const headers = new Headers(rest.map((line) => line.split(': ', 2) as [string, string]));
      try {
        resolve({ status: Number(first.split(' ')[1]), headers, body: JSON.parse(text) });
      } catch {
        reject(new Error(`no reply: ${head}`));
      }
    });
    const start = [
      `POST ${pathname}${search} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      'Connection: close',
      `Content-Length: ${body.length}`,
    ];
    socket.write([...start, ...lines, '\r\n'].join('\r\n'));
    socket.write(body);
  });
}
