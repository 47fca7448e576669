import { type RequestInternals, requestInternals } from './bare-client.ts';
import { parseBaseUrl } from './base-url.ts';

/** Options of a client of the trigger service. */
export interface TriggersParameters {
  /** Base URL of the trigger service, without `/api`. */
  url: string;
  /** Token of a paired agent, or of {@link logInToTriggers}. */
  token: string;
  /** Number of retries of a request after a network error, 429 or 503. Default 3. */
  retries?: number | undefined;
  /** Default timeout of calls. Default 60,000. */
  timeoutMs?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/**
 * The first parameter of the functions of triggers. {@link createTriggersClient} creates a client with all of them bound to
 * it.
 */
export interface BareTriggersClient {
  readonly url: string;
  /** @internal */
  readonly internals: RequestInternals & {
    /** In a function, so that a printed client does not show it. */
    token: () => string | undefined;
  };
}

/** Creates the client that standalone functions of triggers take. */
export function createBareTriggersClient(parameters: TriggersParameters): BareTriggersClient {
  const { token } = parameters;
  return {
    url: parseBaseUrl(parameters.url, 'url'),
    internals: { ...requestInternals(parameters), token: () => token },
  };
}
