/** Verifies the quotes of other nodes, by the verifier service of dstack. */
import { serviceUnavailable } from '@latchkey/http';
import { z } from 'zod';
import { DealingError } from './dealing/stored-dealing.ts';
import { type Evidence, reportData } from './tee.ts';

/** Less than the operator's command waits. A verifier that must fetch an image first goes on, and answers a repetition. */
const TIMEOUT_MS = 10_000;
const REPORT_DATA_DIGITS = 128;

const verdict = z.object({
  is_valid: z.boolean(),
  reason: z.string().nullish(),
  details: z.object({
    report_data: z.string().nullish(),
    tcb_status: z.string().nullish(),
    app_info: z.object({ compose_hash: z.string() }).nullish(),
  }),
});

export type Peers = {
  /** Verifies that the node with this identity runs permitted code in an enclave. Rejects with a DealingError otherwise. */
  attest: (identity: string, evidence: Evidence) => Promise<void>;
  /** Throws a DealingError for a node that was not attested since this one has started. */
  requireAttested: (identity: string) => void;
};

export type PeersOptions = {
  verifierUrl: string;
  /** SHA-256 of the app-compose of permitted nodes, hexadecimal. */
  composeHashes: readonly string[];
};

export function createPeers({ verifierUrl, composeHashes }: PeersOptions): Peers {
  const attested = new Set<string>();
  return {
    async attest(identity, evidence) {
      const { is_valid, reason, details } = await verify(verifierUrl, evidence);
      const refuse = (why: string): never => {
        throw new DealingError('refused', `the quote of node ${identity} ${why}`);
      };
      if (!is_valid) refuse(`is not valid: ${reason ?? 'without a reason'}`);
      if (details.tcb_status !== 'UpToDate')
        refuse(`is of a processor with the TCB status ${details.tcb_status}`);
      if (details.report_data !== reportData(identity).padEnd(REPORT_DATA_DIGITS, '0'))
        refuse('is for another identity');
      const composeHash = details.app_info?.compose_hash;
      if (composeHash === undefined || !composeHashes.includes(composeHash))
        refuse(`is of other code: ${composeHash} is not in PEER_COMPOSE_HASHES`);
      attested.add(identity);
    },
    requireAttested(identity) {
      if (!attested.has(identity))
        throw new DealingError('refused', `the node ${identity} has no quote that this node has verified`);
    },
  };
}

async function verify(url: string, evidence: Evidence): Promise<z.infer<typeof verdict>> {
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(evidence),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return verdict.parse(await response.json());
  } catch (cause) {
    throw serviceUnavailable('the verifier of quotes does not answer', { cause });
  }
}
