/** A breach of the protocol by a node. `identifier` names a dealer, a receiver or an evaluating node, see `role`. */
export type Fault = {
  role: 'dealer' | 'receiver' | 'node';
  identifier: number;
  /** The round of the dealing, or `evaluation`. */
  round: string;
  reason: string;
};

/** At least one node broke the protocol. Nothing that it sent was used. */
export class FaultError extends Error {
  override readonly name = 'FaultError';
  readonly faults: Fault[];

  constructor(faults: Fault[]) {
    super(faults.map(describeFault).join('; '));
    this.faults = faults;
  }
}

/** Returns a sentence without its period, for example `dealer 3, commitments: malformed message`. */
export function describeFault({ role, identifier, round, reason }: Fault): string {
  return `${role} ${identifier}, ${round}: ${reason}`;
}
