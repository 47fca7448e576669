/**
 * Policies modelled on what the public documentation of other wallet services describes, each with requests and their verdicts. The
 * policies are written in this language: `topic` says which rule of the other service they express.
 */
import { cdp } from './peers/cdp.ts';
import { privy } from './peers/privy.ts';
import { turnkey } from './peers/turnkey.ts';

type Verdict = 'allowed' | 'refused';
/** A title, the request, the verdict, and the time if it matters. */
type PeerCase = [what: string, request: object, verdict: Verdict, time?: string];
export type PeerPolicy = {
  peer: 'Turnkey' | 'Privy' | 'CDP';
  topic: string;
  rules: object[];
  cases: PeerCase[];
};

export const peerPolicies: PeerPolicy[] = [...turnkey, ...privy, ...cdp];
