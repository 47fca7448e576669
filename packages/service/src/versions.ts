/**
 * Versions of the protocols between parts. A part speaks the latest version that it knows and the one before, so that parts can be updated,
 * and rolled back, one after another. Raise `latest` with a message that the version before would misunderstand, and go on speaking the one
 * before. A new field that the other side may ignore needs no version: readers ignore unknown fields, except in what is signed.
 */
export type Protocol = { name: string; latest: number };

export const protocols = {
  /** Messages between relayer and runner, a WebSocket subprotocol (RFC 6455, 1.9). */
  runner: { name: 'latchkey-runner', latest: 1 },
  /** Requests of relayers to a key node, with the statements of their runners. */
  keyNode: { name: 'latchkey-key-node', latest: 1 },
  /** Requests of relayers to an indexer. */
  indexer: { name: 'latchkey-indexer', latest: 1 },
  /** Requests of trigger services to a relayer. */
  relayer: { name: 'latchkey-relayer', latest: 1 },
} satisfies Record<string, Protocol>;

/** Header of an HTTP request with the versions that the client speaks, and of the reply with the one that it is in. */
export const PROTOCOL_HEADER = 'latchkey-protocol';
/** HTTP status of a refusal because of the version. The header of the reply has the versions that the server speaks. */
export const OTHER_PROTOCOL_STATUS = 426;

/** Returns the versions that this build speaks, the newest first: `name.2, name.1`. */
export const spoken = ({ name, latest }: Protocol): string[] =>
  latest === 1 ? [`${name}.1`] : [`${name}.${latest}`, `${name}.${latest - 1}`];

/** Returns the newest version that both sides speak; undefined when they have none in common. */
export function agree(own: Protocol, offered: string): string | undefined {
  const theirs = offered.split(',').map((version) => version.trim());
  return spoken(own).find((version) => theirs.includes(version));
}

/** Names the versions of both sides. `parts`: theirs and ours, as in `a relayer` and `this runner`. */
export const describeMismatch = (own: Protocol, offered: string, [theirs, ours]: [string, string]): string =>
  `${theirs} speaks ${offered.slice(0, MAX_SHOWN_CHARS)}, ${ours} ${spoken(own).join(', ')}: update the older one`;
const MAX_SHOWN_CHARS = 100;

/** Returns the header with which a client offers its versions. */
export const protocolHeader = (protocol: Protocol): Record<string, string> => ({
  [PROTOCOL_HEADER]: spoken(protocol).join(', '),
});
