/** Runners that may ask for keys because they run permitted code in an enclave. Kept in memory: a restarted node asks for quotes again. */
import { randomBytes } from 'node:crypto';
import { forbidden } from '@latchkey/http';
import { type RunnerAttestation, reportData } from '@latchkey/key-protocol';
import type { Logger } from 'pino';
import { QuoteError, type VerifyQuote } from './quotes.ts';

/** A relayer must pass the quote on within this time. */
const NONCE_LIFETIME_MS = 60_000;
/** A quote counts for this long. The next one is due after half of it. */
const QUOTE_LIFETIME_MS = 600_000;

export type AttestedRunners = {
  /** Returns the identities whose quote counts now. */
  identities: () => string[];
  /** Returns the nonce for a quote, and whether this runner should give one now. */
  challenge: (runner: string) => { nonce: string; isDue: boolean };
  /** Takes a quote that a known relayer has signed. Rejects with 403 for one that does not count, and with 503 when the verifier does not answer. */
  attest: (attestation: RunnerAttestation) => Promise<void>;
};

export type AttestedRunnersOptions = {
  verifyQuote: VerifyQuote;
  /** SHA-256 of the app-compose of permitted runners, hexadecimal. */
  composeHashes: readonly string[];
  log: Logger;
};

export function createAttestedRunners(options: AttestedRunnersOptions): AttestedRunners {
  const { verifyQuote, composeHashes, log } = options;
  /** Time at which the quote expires, by identity. */
  const expiries = new Map<string, number>();
  let nonces: { value: string; madeAtMs: number }[] = [];

  /** One nonce serves many quotes within its lifetime: each quote binds the identity of its runner. */
  const freshNonces = () => {
    nonces = nonces.filter(({ madeAtMs }) => Date.now() - madeAtMs < NONCE_LIFETIME_MS);
    return nonces;
  };
  return {
    identities: () => [...expiries].flatMap(([identity, expiry]) => (expiry > Date.now() ? [identity] : [])),
    challenge(runner) {
      const newest = freshNonces().at(-1);
      const isDue = (expiries.get(runner) ?? 0) - Date.now() <= QUOTE_LIFETIME_MS / 2;
      if (newest && Date.now() - newest.madeAtMs < NONCE_LIFETIME_MS / 2)
        return { nonce: newest.value, isDue };
      const value = randomBytes(32).toString('hex');
      nonces.push({ value, madeAtMs: Date.now() });
      return { nonce: value, isDue };
    },
    async attest(attestation) {
      const { runner, nonce, evidence, relayer } = attestation;
      try {
        if (!freshNonces().some(({ value }) => value === nonce))
          throw new QuoteError('is not for a nonce of the last minute of this node');
        const expected = reportData({ purpose: 'runner', identity: runner, nonce });
        await verifyQuote(evidence, expected, composeHashes);
      } catch (error) {
        log.warn({ runner, relayer, err: error }, 'refused the quote of a runner');
        if (!(error instanceof QuoteError)) throw error;
        throw forbidden(`the quote of the runner ${runner} ${error.message}`);
      }
      for (const [identity, expiry] of expiries) if (expiry <= Date.now()) expiries.delete(identity);
      if (!expiries.has(runner)) log.info({ runner, relayer }, 'a runner has attested itself');
      expiries.set(runner, Date.now() + QUOTE_LIFETIME_MS);
    },
  };
}
