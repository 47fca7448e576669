/** HTTP stand-in for the relayer. Executes one run per caller and idempotency key, and fails as configured. */
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { keyHash } from '../src/key-hash.ts';

export type Request = {
  key: string;
  idempotencyKey: string;
  correlationId: string;
  body: { code?: string | null; ipfs_id?: string | null; js_params?: Record<string, unknown> };
};

/** Behaviour for one request. */
export type Behaviour =
  /** Runs and replies. */
  | { kind: 'run'; reply?: Record<string, unknown> }
  /** Runs, then breaks the connection before the reply. */
  | { kind: 'lose' }
  /** Replies with this status without running, when the promise resolves. */
  | {
      kind: 'status';
      status: number;
      headers?: Record<string, string>;
      error?: string;
      until?: Promise<void>;
    }
  /** Runs and sends these bytes as a stream of events, then ends or breaks the connection. */
  | { kind: 'stream'; parts: Buffer[]; isCut?: boolean }
  /** Runs and replies when the promise resolves. */
  | { kind: 'hang'; until: Promise<void> };

type StandInAdmin = { account: string; admin_wallet_address: string; managed: boolean };
/** `X-Run-Id` of all replies. */
export const RUN_ID = '0b9f6c1e-3d52-4e8a-9c47-7a1d2e3f4b55';
const MANAGED_WALLET = '0x00000000000000000000000000000000000000AA';

export type RelayerStandIn = AsyncDisposable & {
  url: string;
  /** All requests for runs, in order. */
  requests: Request[];
  /** Executed runs, as `<caller> <idempotency key>`. */
  effects: Set<string>;
  /** Chooses the behaviour per request. Defaults to `run`. */
  behave: (request: Request, number: number) => Behaviour;
  /** Account keys, and unknown keys. Every other key is a usage key. */
  accountKeys: Set<string>;
  unknownKeys: Set<string>;
  /** Reply of `explain_execution` for usage keys; undefined leaves the request open. */
  explanation: { permitted: boolean; explanation: string; code_stored: boolean } | undefined;
  /** CIDs that were explained. */
  explained: string[];
  /** Admins by account hash or wallet identity. Accounts of `accountKeys` default to managed; others do not exist. */
  admins: Map<string, StandInAdmin>;
  /** Hashes of accounts that were transferred and not accepted, and of the wallets for which they wait. */
  unaccepted: Set<string>;
  /** Replies to every request with 500. */
  isDown: boolean;
  /** Part of `/health` that is down. */
  brokenPart: 'chain' | 'database' | 'runtime' | 'indexer' | 'payers' | 'keys' | undefined;
};

/** Same as the relayer: adds the parameters of `json_params` to `js_params`. */
function withJsonParams({
  json_params = {},
  ...body
}: Request['body'] & { json_params?: Record<string, string> }): Request['body'] {
  const added = Object.entries(json_params).map(([name, from]) => {
    const text = String(body.js_params?.[from]);
    try {
      return [name, JSON.parse(text.replace(/^\ufeff/, ''))];
    } catch {
      return [name, text];
    }
  });
  return added.length === 0
    ? body
    : { ...body, js_params: { ...body.js_params, ...Object.fromEntries(added) } };
}

const ran = { response: 'ok', logs: '', has_error: false };

export async function startRelayerStandIn(): Promise<RelayerStandIn> {
  // Same as the relayer: a request on a connection that was just closed would count as a lost reply.
  const server = createServer({ keepAliveTimeout: 65_000 }, (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => answer(Buffer.concat(chunks).toString(), res));
    const key = String(req.headers['x-api-key']);
    const answer = async (text: string, res: ServerResponse) => {
      const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
        res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
      if (relayer.isDown) return send(500, {});
      const { pathname, searchParams } = new URL(req.url ?? '', 'http://relayer');
      if (pathname === '/core/v1/account_admin') {
        const hash = searchParams.get('account') ?? '';
        if (relayer.unaccepted.has(hash))
          return send(403, { error: 'forbidden', message: 'waits for its wallet', fix: 'acceptAccount' });
        const admin = findAdmin(hash);
        return admin ? send(200, admin) : send(404, { error: 'not_found', message: 'unknown' });
      }
      if (pathname === '/core/v1/explain_execution') {
        if (relayer.unknownKeys.has(key)) return send(401, {});
        if (!relayer.explanation) return;
        const { code_stored, ...action } = relayer.explanation;
        relayer.explained.push(searchParams.get('cid') ?? '');
        return send(200, { action, code_stored });
      }
      if (req.url === '/health') {
        const parts = ['chain', 'indexer', 'database', 'runtime', 'payers', 'keys'].map((name) => [
          name,
          { ok: name !== relayer.brokenPart },
        ]);
        return send(relayer.brokenPart ? 503 : 200, Object.fromEntries(parts));
      }
      if (req.url !== '/core/v1/svc_action') return send(listStatus(key), []);
      const request = {
        key,
        idempotencyKey: String(req.headers['idempotency-key']),
        correlationId: String(req.headers['x-correlation-id']),
        body: withJsonParams(JSON.parse(text)),
      };
      const behaviour = relayer.behave(request, relayer.requests.push(request));
      if (behaviour.kind === 'status') {
        const { status, headers, error = `status_${status}` } = behaviour;
        await behaviour.until;
        return send(status, { error, message: 'refused' }, headers);
      }
      relayer.effects.add(`${key} ${request.idempotencyKey}`);
      if (behaviour.kind === 'lose') return res.destroy();
      if (behaviour.kind === 'stream') {
        res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
        for (const part of behaviour.parts) {
          res.write(part);
          await delay(5);
        }
        return behaviour.isCut ? res.destroy() : res.end();
      }
      if (behaviour.kind === 'hang') await behaviour.until;
      const reply = { ...ran, ...(behaviour.kind === 'run' && behaviour.reply) };
      send(200, reply, {
        'X-Run-Id': RUN_ID,
        'X-Run-Cost-Micros': '10000',
        'X-Run-Cid': 'QmOfTheCode',
        'X-Run-Duration-Ms': '5',
      });
    };
  });
  /** Status of list_api_keys, which only account keys may call. */
  const listStatus = (key: string) =>
    relayer.accountKeys.has(key) ? 200 : relayer.unknownKeys.has(key) ? 401 : 403;
  const findAdmin = (hash: string): StandInAdmin | undefined => {
    const isManaged = [...relayer.accountKeys].some((key) => keyHash(key) === hash);
    const managed = { account: hash, admin_wallet_address: MANAGED_WALLET, managed: true };
    return relayer.admins.get(hash) ?? (isManaged ? managed : undefined);
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const relayer: RelayerStandIn = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    requests: [],
    effects: new Set(),
    behave: () => ({ kind: 'run' }),
    accountKeys: new Set(),
    unknownKeys: new Set(),
    explanation: { permitted: true, explanation: '', code_stored: true },
    explained: [],
    admins: new Map(),
    unaccepted: new Set(),
    isDown: false,
    brokenPart: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return relayer;
}
