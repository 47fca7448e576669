import type { Logger } from 'pino';
import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/** What a handler gets beside its slice of the context. Everything is decoded and checked. */
export type Input<Caller, Body, Query, Params, Headers, ReplyHeader extends string, Status extends number> = {
  body: Body;
  query: Query;
  params: Params;
  /** The request headers that the route declares, by lower-case name. */
  headers: Headers;
  /** All request headers by lower-case name, each with its values as they came, one for each time that it was sent. */
  allHeaders: NodeJS.Dict<string[]>;
  caller: Caller;
  /** The peer's address; behind proxies as `trustProxy` of `mount` says. */
  ip: string;
  requestId: string;
  /** `X-Min-Block`: the reply has to see this block at least. */
  minBlock: bigint | undefined;
  /** Set when the request carries `Idempotency-Key`: the same value for every attempt of the same request. */
  idempotencyId: string | undefined;
  /** Aborted when the client goes away before it was answered. */
  signal: AbortSignal;
  log: Logger;
  /** Sets a reply header that the route declares in `replyHeaders`. */
  setHeader: (name: ReplyHeader, value: string | number | bigint) => void;
  /** Answers with another status that the route declares in `statuses`. */
  setStatus: (status: Status) => void;
};

/** One endpoint. The same value declares it to Express, to validation, to OpenAPI and to the clients' types. */
export type Route<
  Context,
  Caller,
  Auth extends string,
  Price extends string,
  Body extends z.ZodType,
  Query extends z.ZodType,
  Params extends z.ZodType,
  Headers extends z.ZodType,
  Reply extends z.ZodType,
  ReplyHeader extends string,
  Status extends number,
> = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** The whole path; a parameter is written `:name`. */
  path: string;
  tag: string;
  /** A few words; the heading in the API browser. */
  summary: string;
  description?: string;
  deprecated?: true;
  /** A name of an authenticator given to `mount`, or `none`. */
  auth: Auth;
  /** A name of the price table given to `openapiDocument`. */
  price?: Price;
  body?: Body;
  /** The body is not JSON: `body` is a schema of its bytes, a Buffer. */
  rawBody?: true;
  /** Bytes of the body that are read at most; 16 KiB when absent. Over 64 KiB they count in the budget of bytes in flight. */
  bodyLimitBytes?: number;
  query?: Query;
  params?: Params;
  /** An object schema whose names are lower-case header names. */
  headers?: Headers;
  /** Schema of the reply; the handler returns its inside form, which is encoded for the wire. */
  reply: Reply;
  /** The reply is an array of flat objects with these columns, which `Accept: text/csv` gets as CSV. */
  csv?: readonly string[];
  /** Status of a success; 200 when absent. */
  status?: number;
  /** Further statuses with the same reply, each with what it means. */
  statuses?: Record<Status, string>;
  /** A request's body and its reply in their wire form, for the API description. Every POST has one. */
  example?: { body?: z.input<Body>; reply: z.input<Reply> };
  /** Headers that the handler sets, each with what it means. */
  replyHeaders?: Record<ReplyHeader, string>;
  /** Codes that the handler gives beyond those of the pipeline; `gone` for 410. */
  errors?: readonly (ErrorCode | 'gone')[];
  /** The reply holds a secret and anybody may call: `Idempotency-Key` must have the form of 16 random bytes. */
  secretIdempotencyKey?: true;
  /** POST accepts `Idempotency-Key` unless this is false; other methods never do. */
  idempotent?: boolean;
  handle: (
    context: Context,
    input: Input<
      Caller,
      z.output<Body>,
      z.output<Query>,
      z.output<Params>,
      z.output<Headers>,
      ReplyHeader,
      Status
    >,
  ) => z.output<Reply> | Promise<z.output<Reply>>;
};

/** Any route, whatever its types; the form in which lists of routes are passed. */
export type AnyRoute = Omit<
  Route<never, never, string, string, z.ZodType, z.ZodType, z.ZodType, z.ZodType, z.ZodType, string, number>,
  'handle'
> & { handle: (context: never, input: never) => unknown };

/**
 * Makes the `defineRoute` of a service: `Callers` maps each authenticator's name to what it says about a caller,
 * `Prices` are the names of its price table.
 */
export function routeDefiner<Callers extends Record<string, unknown>, Prices extends string = never>() {
  return <
    Context,
    const Auth extends (keyof Callers & string) | 'none',
    Reply extends z.ZodType,
    Body extends z.ZodType = z.ZodUndefined,
    Query extends z.ZodType = z.ZodUndefined,
    Params extends z.ZodType = z.ZodUndefined,
    Headers extends z.ZodType = z.ZodUndefined,
    ReplyHeader extends string = never,
    Status extends number = never,
  >(
    route: Route<
      Context,
      Auth extends keyof Callers ? Callers[Auth] : undefined,
      Auth,
      Prices,
      Body,
      Query,
      Params,
      Headers,
      Reply,
      ReplyHeader,
      Status
    >,
  ) => route;
}

type Intersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer I,
) => void
  ? I
  : never;

/** The context that satisfies the slices of all these routes. */
export type ContextOf<R extends AnyRoute> = Intersection<
  R extends { handle: (context: infer C, input: never) => unknown } ? C : never
>;

/** What the authenticator `Auth` has to say about a caller for these routes. */
export type CallerOf<R extends AnyRoute, Auth extends string> = Intersection<
  R extends { auth: Auth; handle: (context: never, input: infer I) => unknown }
    ? I extends { caller: infer Caller }
      ? Caller
      : never
    : never
>;

/** What the authenticators of these routes say about a caller; undefined for a route without one. */
export type AnyCaller<R extends AnyRoute> = R extends {
  handle: (context: never, input: infer I) => unknown;
}
  ? I extends { caller: infer Caller }
    ? Caller
    : never
  : never;

type Wire<S> = [S] extends [z.ZodType] ? z.input<S> : undefined;
type Part<Name extends string, S> = [Wire<S>] extends [undefined]
  ? unknown
  : undefined extends Wire<S>
    ? { [N in Name]?: Wire<S> }
    : { [N in Name]: Wire<S> };

/** The request of a route as it stands on the wire. */
export type RequestOf<R extends AnyRoute> = R extends {
  body?: infer Body;
  query?: infer Query;
  params?: infer Params;
}
  ? Part<'body', NonNullable<Body>> & Part<'query', NonNullable<Query>> & Part<'params', NonNullable<Params>>
  : never;

/** The reply of a route as it stands on the wire. */
export type ReplyOf<R extends AnyRoute> = z.input<R['reply']>;
