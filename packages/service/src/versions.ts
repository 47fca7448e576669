import info from '../package.json' with { type: 'json' };

/** The version of all parts of this checkout. */
export const serviceVersion: string = info.version;

/**
 * Versions of the protocols between parts. A part speaks the latest version that it knows and the one before, so that parts can be updated,
 * and rolled back, one after another. Raise `latest` with a message that the version before would misunderstand, and go on speaking the one
 * before. A new field that the other side may ignore needs no version: readers ignore unknown fields, except in what is signed.
 */
export type Protocol = { name: string; latest: number };

export const protocols = {
  /** Messages between relayer and runner, a WebSocket subprotocol (RFC 6455, 1.9). Version 3 has approvals by passkeys. */
  runner: { name: 'latchkey-runner', latest: 3 },
  /** Requests of relayers to a key node, with the statements of their runners. */
  keyNode: { name: 'latchkey-key-node', latest: 1 },
  /** Requests of relayers to an indexer. */
  indexer: { name: 'latchkey-indexer', latest: 1 },
  /** Requests of trigger services to a relayer. Version 2 has runs that go on with an approval. */
  relayer: { name: 'latchkey-relayer', latest: 2 },
} satisfies Record<string, Protocol>;

/** Header of an HTTP request with the versions that the client speaks, and of the reply with the one that it is in. */
export const PROTOCOL_HEADER = 'latchkey-protocol';
/** HTTP status of a refusal because of the version. The header of the reply has the versions that the server speaks. */
export const OTHER_PROTOCOL_STATUS = 426;

/** Returns the versions that this build speaks, from `least` on, the newest first: `name.2, name.1`. */
export const spoken = ({ name, latest }: Protocol, least = 1): string[] =>
  [latest, latest - 1].filter((version) => version >= least).map((version) => `${name}.${version}`);

/** Returns the newest version that both sides speak; undefined when they have none in common. */
export function agree(own: Protocol, offered: string): string | undefined {
  const theirs = offered.split(',').map((version) => version.trim());
  return spoken(own).find((version) => theirs.includes(version));
}

/** Names the versions of both sides. `parts`: theirs and ours, as in `a relayer` and `this runner`. */
export const describeMismatch = (own: Protocol, offered: string, [theirs, ours]: [string, string]): string =>
  `${theirs} speaks ${offered.slice(0, MAX_SHOWN_CHARS)}, ${ours} ${spoken(own).join(', ')}: update the older one`;
const MAX_SHOWN_CHARS = 100;

/** Returns the header with which a client offers its versions from `least` on. A server of an older one refuses the request. */
export const protocolHeader = (protocol: Protocol, least?: number): Record<string, string> => ({
  [PROTOCOL_HEADER]: spoken(protocol, least).join(', '),
});

/** The version of the protocol `relayer` that has runs that go on with an approval: an older part would run them as new ones. */
export const APPROVALS_VERSION = 2;
/** The version of the protocol `runner` that has approvals by passkeys: an older part takes their messages for malformed ones. */
export const PASSKEYS_VERSION = 3;
