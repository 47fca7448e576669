/** Pairing of an agent with the trigger service. */
import { requestInternals } from './bare-client.ts';
import type { BareTriggersClient, TriggersParameters } from './bare-triggers-client.ts';
import { parseBaseUrl } from './base-url.ts';
import { type CallOptions, createDeadline, pause } from './deadline.ts';
import { randomSecret, toBase64Url } from './secret-text.ts';
import { sendTo } from './triggers-request.ts';

const POLL_MS = 2_000;

/** A pairing that the owner of the account must approve. */
export interface PairingRequest {
  /** Page of the trigger service for the owner. It contains the secret code of the pairing: show it to the owner only. */
  authorizeUrl: string;
  /** The owner compares it with the code on the page. */
  userCode: string;
  /** Ten minutes after the request. */
  expiresAt: Date;
}

export type PairAgentParameters = Omit<TriggersParameters, 'token'> & {
  /** Name of the agent, which the owner sees. At most 128 bytes. Default: `agent`. */
  label?: string | undefined;
  /** Shows the request to the owner. */
  onRequest: (request: PairingRequest) => void;
};

/** An agent that is paired with an account for 90 days. */
export interface PairedAgent {
  /** Token for {@link createTriggersClient}. */
  token: string;
}

/**
 * Pairs an agent: resolves once the owner of an account has approved the request in a browser. Rejects with `not_found` when the owner
 * denied it, and with `timeout` after ten minutes.
 */
export async function pairAgent(
  parameters: PairAgentParameters,
  options: CallOptions = {},
): Promise<PairedAgent> {
  const { label, onRequest } = parameters;
  const url = parseBaseUrl(parameters.url, 'url');
  const token = randomSecret();
  // The service gets the hash first, and the token once the owner can have approved it.
  const internals = requestInternals(parameters);
  const anyone: BareTriggersClient = { url, internals: { ...internals, token: () => undefined } };
  const agent: BareTriggersClient = { url, internals: { ...internals, token: () => token } };
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  const request = await sendTo<{ authorize_url: string; user_code: string; expires_in_seconds: number }>(
    anyone,
    'POST',
    '/agent/pair',
    { body: { token_hash: toBase64Url(new Uint8Array(hash)), label }, options },
  );
  const lifetimeMs = request.expires_in_seconds * 1_000;
  const deadline = createDeadline(options, lifetimeMs);
  onRequest({
    authorizeUrl: request.authorize_url,
    userCode: request.user_code,
    expiresAt: new Date(Date.now() + lifetimeMs),
  });
  const code = new URL(request.authorize_url).searchParams.get('code');
  for (;;) {
    await pause(POLL_MS, deadline);
    const { status } = await sendTo<{ status: 'pending' | 'authorized' }>(
      agent,
      'POST',
      '/agent/pair/complete',
      { body: { code }, options: { signal: deadline.signal } },
    );
    if (status === 'authorized') return { token };
  }
}
