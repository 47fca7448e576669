import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from './errors.ts';

/** One OpenAPI security scheme. */
export type SecurityScheme =
  | { type: 'apiKey'; in: 'header' | 'cookie'; name: string; description?: string }
  | { type: 'http'; scheme: 'bearer'; description?: string };

/** Identifies the callers of one kind. */
export type Authenticator<Context, Caller> = {
  /** The alternative ways to present the credential, by their names in OpenAPI. */
  schemes: Record<string, SecurityScheme>;
  /** Codes that `authenticate` throws in addition to `unauthorized`. */
  errors?: readonly ErrorCode[];
  /** Resolves to the caller. Rejects with `unauthorized(…)`. */
  authenticate: (
    context: Context,
    request: {
      method: string;
      headers: IncomingHttpHeaders;
      ip: string;
      requestId: string;
      signal: AbortSignal;
      /** Tells `onEnd` of `mount` whose request it is, also when it is then refused. */
      identify: (account: bigint, keyHash: bigint) => void;
    },
  ) => Promise<Caller>;
  /** Returns a stable name of the caller: it separates the idempotency keys of different callers. */
  callerId: (caller: Caller) => string;
};
