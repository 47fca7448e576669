import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from './errors.ts';

/** One OpenAPI security scheme. */
export type SecurityScheme =
  | { type: 'apiKey'; in: 'header' | 'cookie'; name: string; description?: string }
  | { type: 'http'; scheme: 'bearer'; description?: string };

/** How callers of a kind are recognised. */
export type Authenticator<Context, Caller> = {
  /** The alternative ways to present the credential, by the name that OpenAPI gives them. */
  schemes: Record<string, SecurityScheme>;
  /** Codes that `authenticate` throws beside `unauthorized`. */
  errors?: readonly ErrorCode[];
  /** The caller, or a thrown `unauthorized(…)`. */
  authenticate: (
    context: Context,
    request: {
      method: string;
      headers: IncomingHttpHeaders;
      ip: string;
      requestId: string;
      signal: AbortSignal;
    },
  ) => Promise<Caller>;
  /** A stable name of the caller, so that an idempotency key of one never meets another's. */
  callerId: (caller: Caller) => string;
};
