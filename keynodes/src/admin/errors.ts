/** The command cannot go on. The message names the node and says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** A node does not answer. */
export class UnreachableError extends CommandError {}
