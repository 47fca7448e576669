/** A node accepts a command of the operator when it is signed, is for this node and this start, and was not used before. */
import { KeyRequestError, type SignedCommand, verifyCommand } from '@latchkey/key-protocol';
import { DealingError } from './stored-dealing.ts';

export type AcceptedCommands = {
  /** Throws a KeyRequestError or a DealingError for a command that must not be carried out. */
  accept: (signed: SignedCommand, nowMs: number) => void;
};

export function createAcceptedCommands(of: {
  operator: string;
  node: string;
  boot: string;
}): AcceptedCommands {
  /** Expiry by id. */
  const seen = new Map<string, number>();
  return {
    accept(signed, nowMs) {
      verifyCommand(signed, { operator: of.operator, node: of.node, nowMs });
      const { id, boot, expiresAt } = signed.command;
      if (boot !== of.boot)
        throw new DealingError('conflict', 'the node was restarted: read GET /v1/dealing and sign again');
      if (seen.has(id)) throw new KeyRequestError('the command was used before');
      for (const [old, expiry] of seen) if (expiry <= nowMs) seen.delete(old);
      seen.set(id, expiresAt);
    },
  };
}
