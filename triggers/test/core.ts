/** An HTTP stand-in of the core service: it runs once for an idempotency key of a caller, and misbehaves as it is told. */
import { createServer, type ServerResponse } from 'node:http';
import { apiKeyHash } from '@latchkey/protocol';
import { numberToHex } from 'viem';

export type Request = {
  key: string;
  idempotencyKey: string;
  body: { code?: string | null; ipfs_id?: string | null; js_params?: Record<string, unknown> };
};

/** What becomes of one request. */
export type Behaviour =
  /** Runs, and answers. */
  | { kind: 'run'; reply?: Record<string, unknown> }
  /** Runs, and the connection breaks before the reply. */
  | { kind: 'lose' }
  /** Refuses without running. */
  | { kind: 'status'; status: number; headers?: Record<string, string> }
  /** Runs, and answers when the promise resolves. */
  | { kind: 'hang'; until: Promise<void> };

export type StandInAdmin = { account: string; admin_wallet_address: string; managed: boolean };
const MANAGED_WALLET = '0x00000000000000000000000000000000000000AA';

export type CoreStandIn = AsyncDisposable & {
  url: string;
  /** Every request for a run, in their order. */
  requests: Request[];
  /** A caller and idempotency key each: what was run, signed and charged. An outcome that is kept is answered again. */
  effects: Set<string>;
  /** Said for each request; runs and answers by default. */
  behave: (request: Request, number: number) => Behaviour;
  /** Keys of accounts, and those that it does not know; every other one is a usage key. */
  accountKeys: Set<string>;
  unknownKeys: Set<string>;
  /** Who administers an account, by a hash that names it. Accounts of `accountKeys` are managed unless told; others do not exist. */
  admins: Map<string, StandInAdmin>;
  /** Answers every request with 500. */
  isDown: boolean;
};

const ran = { response: 'ok', logs: '', has_error: false };

export async function startCore(): Promise<CoreStandIn> {
  // As long as the real one: a request into a connection that was just closed would count as a lost reply.
  const server = createServer({ keepAliveTimeout: 65_000 }, (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => answer(Buffer.concat(chunks).toString(), res));
    const key = String(req.headers['x-api-key']);
    const answer = async (text: string, res: ServerResponse) => {
      const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
        res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
      if (core.isDown) return send(500, {});
      const { pathname, searchParams } = new URL(req.url ?? '', 'http://core');
      if (pathname === '/core/v1/account_admin') {
        const admin = adminOf(searchParams.get('account') ?? '');
        return admin ? send(200, admin) : send(404, { error: 'not_found', message: 'unknown' });
      }
      if (req.url !== '/core/v1/svc_action') return send(statusOf(key), []);
      const request = {
        key,
        idempotencyKey: String(req.headers['idempotency-key']),
        body: JSON.parse(text) as Request['body'],
      };
      const behaviour = core.behave(request, core.requests.push(request));
      if (behaviour.kind === 'status')
        return send(
          behaviour.status,
          { error: `status_${behaviour.status}`, message: 'refused' },
          behaviour.headers,
        );
      core.effects.add(`${key} ${request.idempotencyKey}`);
      if (behaviour.kind === 'lose') return res.destroy();
      if (behaviour.kind === 'hang') await behaviour.until;
      const reply = { ...ran, ...(behaviour.kind === 'run' && behaviour.reply) };
      send(200, reply, { 'X-Run-Cost-Micros': '10000' });
    };
  });
  /** Of the list of usage keys, which is for account keys alone. */
  const statusOf = (key: string) => (core.accountKeys.has(key) ? 200 : core.unknownKeys.has(key) ? 401 : 403);
  const adminOf = (hash: string): StandInAdmin | undefined => {
    const isManaged = [...core.accountKeys].some(
      (key) => numberToHex(apiKeyHash(key), { size: 32 }) === hash,
    );
    const managed = { account: hash, admin_wallet_address: MANAGED_WALLET, managed: true };
    return core.admins.get(hash) ?? (isManaged ? managed : undefined);
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const core: CoreStandIn = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    requests: [],
    effects: new Set(),
    behave: () => ({ kind: 'run' }),
    accountKeys: new Set(),
    unknownKeys: new Set(),
    admins: new Map(),
    isDown: false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return core;
}
