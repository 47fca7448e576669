/** The other nodes to which a dealing of this node is permitted to give shares. */
import { type Evidence, reportData } from '@latchkey/key-protocol';
import { DealingError } from './dealing/stored-dealing.ts';
import { QuoteError, type VerifyQuote } from './quotes.ts';

export type Peers = {
  /**
   * Verifies that the node with this identity runs permitted code in an enclave. Rejects with a DealingError. The session is the nonce of
   * the quote: as a hash of keys that all participants made for this dealing, it cannot be in an earlier quote.
   */
  attest: (identity: string, session: string, evidence: Evidence) => Promise<void>;
  /** Throws a DealingError for a node that was not attested for this session since this node has started. */
  requireAttested: (identity: string, session: string) => void;
};

/** @param composeHashes SHA-256 of the app-compose of permitted nodes, hexadecimal. */
export function createPeers(verifyQuote: VerifyQuote, composeHashes: readonly string[]): Peers {
  /** Session of the last quote by identity. */
  const attested = new Map<string, string>();
  return {
    async attest(identity, session, evidence) {
      const expected = reportData({ purpose: 'key-node', identity, nonce: session });
      await verifyQuote(evidence, expected, composeHashes).catch((error: unknown) => {
        if (!(error instanceof QuoteError)) throw error;
        throw new DealingError('refused', `the quote of node ${identity} ${error.message}`);
      });
      attested.set(identity, session);
    },
    requireAttested(identity, session) {
      if (attested.get(identity) !== session)
        throw new DealingError(
          'refused',
          `the node ${identity} has no quote for this dealing that this node has verified`,
        );
    },
  };
}
