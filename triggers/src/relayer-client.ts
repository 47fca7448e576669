/** HTTP client of the relayer. */
import { createAskTogether } from '@latchkey/service/ask-together';
import { traceHeaders } from '@latchkey/service/tracing';
import { OTHER_PROTOCOL_STATUS, protocolHeader, protocols } from '@latchkey/service/versions';
import { z } from 'zod';
import { createRunRequest, type Relayers, type RequestRun, requestHeaders } from './run-request.ts';

const EXISTS_TIMEOUT_MS = 15_000;
const ADMIN_TIMEOUT_MS = 5_000;

/** The admin of an account, read from the chain. */
export type Admin = {
  /** Master hash: 0x and 64 hex digits. */
  account: string;
  wallet: string;
  /** True when the account key administers the account, false when `wallet` does. */
  managed: boolean;
};
const adminReply = z.object({
  account: z.string().regex(/^0x[0-9a-f]{64}$/),
  admin_wallet_address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  managed: z.boolean(),
});

const refusal = z.object({ message: z.string(), fix: z.string().optional() });

const explained = z.object({
  action: z.object({ permitted: z.boolean(), explanation: z.string() }),
  code_stored: z.boolean().optional(),
});

const healthy = z.object({ ok: z.literal(true) });
/** Health of a relayer that can run actions. Indexer and payers are not needed. */
const canRun = z.object({ chain: healthy, database: healthy, runtime: healthy, keys: healthy });

export type RelayerClient = {
  run: RequestRun;
  /** Stops the run that was requested with this idempotency key, if it is in progress. Rejects with `RelayerUnavailableError`. */
  stopRun: (key: string, idempotencyKey: string) => Promise<void>;
  /** Resolves to undefined for a key that the relayer does not know. Rejects with `RelayerUnavailableError`. */
  getKeyKind: (key: string) => Promise<'account key' | 'usage key' | undefined>;
  /**
   * Resolves to whether the usage key is permitted to run the action of the CID, and whether the relayer stores its code; to
   * undefined for an unknown or expired key. Rejects with `RelayerUnavailableError`.
   */
  explainExecution: (
    key: string,
    cid: string,
    signal: AbortSignal,
  ) => Promise<{ permitted: boolean; explanation: string; codeStored: boolean } | undefined>;
  /**
   * Resolves to the admin of the account with this master hash or admin wallet identity (0x and 64 hex digits), or to
   * undefined when there is no such account. The relayer is asked after the call, so that the credentials from before a conversion
   * or a rotation end with its reply. Rejects with `NotAcceptedError` or `RelayerUnavailableError`.
   */
  getAdmin: (hash: string) => Promise<Admin | undefined>;
  /** Rejects when no relayer can run actions. Later requests go to the first relayer that can. */
  ping: () => Promise<void>;
};

/** The relayer did not answer, or sent an unexpected reply. */
export class RelayerUnavailableError extends Error {
  override readonly name = 'RelayerUnavailableError';
}

/** The account was transferred to a wallet that has not accepted it, so it has no sessions. The message is the relayer's. */
export class NotAcceptedError extends Error {
  override readonly name = 'NotAcceptedError';
  readonly fix: string | undefined;

  constructor({ message, fix }: { message: string; fix?: string | undefined }) {
    super(message);
    this.fix = fix;
  }
}

const unexpected = (status: number) =>
  new RelayerUnavailableError(`The relayer answered with status ${status}.`);

/** Asks one relayer until it does not answer, then the next. All use one database, so they know the same runs. */
function createRelayers(urls: readonly [string, ...string[]]): Relayers & Pick<RelayerClient, 'ping'> {
  let url = urls[0];
  return {
    url: () => url,
    leave(failed) {
      if (failed === url) url = urls[(urls.indexOf(url) + 1) % urls.length] ?? url;
    },
    async ping() {
      url = await Promise.any(
        urls.map(async (asked) => {
          const response = await fetch(`${asked}/health`, {
            headers: protocolHeader(protocols.relayer),
            signal: AbortSignal.timeout(EXISTS_TIMEOUT_MS),
          });
          const json: unknown = await response.json();
          if (response.status === OTHER_PROTOCOL_STATUS)
            throw new RelayerUnavailableError(refusal.parse(json).message);
          if (!canRun.safeParse(json).success)
            throw new RelayerUnavailableError('A part of the relayer is down.');
          return asked;
        }),
      );
    },
  };
}

export function createRelayerClient(urls: readonly [string, ...string[]]): RelayerClient {
  const relayers = createRelayers(urls);
  /** Resolves to a reply; `json` is undefined when the body is not JSON. Rejects with `RelayerUnavailableError`. */
  const ask = async (path: string, init: RequestInit) => {
    const signal = init.signal ?? AbortSignal.timeout(EXISTS_TIMEOUT_MS);
    const asked = relayers.url();
    const headers = { ...init.headers, ...protocolHeader(protocols.relayer), ...traceHeaders() };
    const request = { ...init, headers, redirect: 'error', signal } as const;
    const response = await fetch(`${asked}/core/v1/${path}`, request).catch(() => {
      relayers.leave(asked);
      throw new RelayerUnavailableError('The relayer does not answer.');
    });
    const json: unknown = await response.json().catch(() => undefined);
    return { ok: response.ok, status: response.status, json };
  };
  const askAdmin = async (hash: string): Promise<Admin | undefined> => {
    const signal = AbortSignal.timeout(ADMIN_TIMEOUT_MS);
    const { ok, status, json } = await ask(`account_admin?account=${hash}`, { signal });
    if (status === 404) return undefined;
    const refused = refusal.safeParse(json);
    if (status === 403 && refused.success) throw new NotAcceptedError(refused.data);
    const { success, data } = adminReply.safeParse(json);
    if (!ok || !success) throw unexpected(status);
    return { account: data.account, wallet: data.admin_wallet_address, managed: data.managed };
  };
  const together = createAskTogether();
  return {
    run: createRunRequest(relayers),
    async stopRun(key, idempotencyKey) {
      const { ok, status } = await ask(`run/${idempotencyKey}`, {
        method: 'DELETE',
        headers: requestHeaders(key),
      });
      // A removed key has ended its runs.
      if (!ok && status !== 401 && status !== 404) throw unexpected(status);
    },
    async getKeyKind(key) {
      // Only account keys may list usage keys.
      const { status } = await ask('list_api_keys?page_size=1', { headers: requestHeaders(key) });
      if (status === 200) return 'account key';
      if (status === 403) return 'usage key';
      if (status === 401 || status === 400) return undefined;
      throw unexpected(status);
    },
    async explainExecution(key, cid, signal) {
      const path = `explain_execution?${new URLSearchParams({ cid })}`;
      const { ok, status, json } = await ask(path, { headers: requestHeaders(key), signal });
      if (status === 401) return undefined;
      const { success, data } = explained.safeParse(json);
      if (!ok || !success) throw unexpected(status);
      return { ...data.action, codeStored: data.code_stored ?? false };
    },
    getAdmin: (hash) => together(hash, () => askAdmin(hash)),
    ping: relayers.ping,
  };
}
