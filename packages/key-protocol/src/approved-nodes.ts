/**
 * The nodes that may get shares, as the contract's node configuration has them. Without this second approval, the operator's key alone
 * could reshare the key to nodes of its holder.
 */

/** Name of the node configuration. */
export const APPROVED_NODES_CONFIGURATION = 'approved-key-nodes';

export type ApprovedNodes = {
  /** The smallest threshold of a group: 1 … 16. */
  threshold: number;
  /** Identities, 1 to 16, ascending: 32 bytes in hexadecimal each. */
  identities: string[];
};

const FORMAT = /^latchkey-approved-nodes\/1;threshold=([1-9]\d?)((?:;[A-Za-z0-9_-]{43}){1,16})$/;

/** Returns the canonical text: `latchkey-approved-nodes/1;threshold=T;K;K;…`, keys in base64url, at most 742 characters. */
export function encodeApprovedNodes({ threshold, identities }: ApprovedNodes): string {
  const keys = [...new Set(identities)].sort().map((key) => Buffer.from(key, 'hex').toString('base64url'));
  return [`latchkey-approved-nodes/1;threshold=${threshold}`, ...keys].join(';');
}

/** Throws a RangeError for every text that `encodeApprovedNodes` does not return. */
export function decodeApprovedNodes(text: string): ApprovedNodes {
  const [, threshold, keys = ''] = FORMAT.exec(text) ?? [];
  const identities = keys
    .slice(1)
    .split(';')
    .map((key) => Buffer.from(key, 'base64url').toString('hex'));
  const decoded = { threshold: Number(threshold), identities };
  if (threshold === undefined || encodeApprovedNodes(decoded) !== text)
    throw new RangeError('malformed list of approved nodes');
  return decoded;
}
