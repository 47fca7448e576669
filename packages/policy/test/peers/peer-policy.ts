type Verdict = 'allowed' | 'refused';
/** A title, the request, the verdict, and the time if it matters. */
type PeerCase = [what: string, request: object, verdict: Verdict, time?: string];
export type PeerPolicy = {
  peer: 'Turnkey' | 'Privy' | 'CDP';
  topic: string;
  rules: object[];
  cases: PeerCase[];
};
