/** Asks the key nodes what they released. The reader verifies their signed answers. */
import { type Identity, signReleaseQuery } from '@latchkey/key-protocol';
import { protocolHeader, protocols } from '@latchkey/service/versions';
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import { z } from 'zod';

const TIMEOUT_MS = 3_000;
/** 100 entries of 700 characters, with the escapes of JSON in JSON. */
const MAX_REPLY_BYTES = 256 * 1024;

const reply = z.object({ head: z.string(), signature: z.string(), entries: z.array(z.string()) });
const headOf = z.object({ node: z.string() });
const nodeOf = z.object({ public_key: z.string() });
const entryOf = z.object({ sequence: z.int().positive() });

/** The releases of one node, as it signed them. */
type NodeReleases = z.infer<typeof reply>;

export type KeyReleases = {
  /**
   * Returns the pages of the nodes that answer. `before` maps the identity of a node to the sequence before which its page ends; a node
   * that it does not name has no further entries.
   */
  list: (page: {
    path: bigint;
    nonce: string;
    before: Record<string, number> | undefined;
    limit: number;
  }) => Promise<{ nodes: NodeReleases[]; before: Record<string, number> | undefined }>;
};

export type KeyReleasesOptions = { urls: string[]; identity: Identity; log: Logger };

export function createKeyReleases({ urls, identity, log }: KeyReleasesOptions): KeyReleases {
  const dispatcher = new Agent({ maxResponseSize: MAX_REPLY_BYTES });
  const identityOf = async (url: string): Promise<string> => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { body } = await request(`${url}/v1/node`, { dispatcher, signal });
    return nodeOf.parse(await body.json()).public_key;
  };

  return {
    async list({ path, nonce, before, limit }) {
      const ask = async (url: string): Promise<Page | undefined> => {
        const end = before ? before[await identityOf(url)] : null;
        if (end === undefined) return undefined;
        const of = { path: `0x${path.toString(16)}`, nonce, before: end, limit };
        const response = await request(`${url}/v1/releases`, {
          method: 'POST',
          dispatcher,
          headers: { 'content-type': 'application/json', ...protocolHeader(protocols.keyNode) },
          body: JSON.stringify(signReleaseQuery(of, identity, Date.now())),
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        const answered: unknown = await response.body.json();
        if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
        const releases = reply.parse(answered);
        // Parsed per node, so that a malformed answer hides no other node.
        return { releases, end: endOf(releases, limit) };
      };
      const asked = urls.map((url) =>
        ask(url).catch((err: unknown) => void log.warn({ err, node: url }, 'failed to list key releases')),
      );
      const pages = (await Promise.all(asked)).filter((page) => page !== undefined);
      const ends = pages.flatMap(({ end }) => (end ? [end] : []));
      return {
        nodes: pages.map(({ releases }) => releases),
        before: ends.length === 0 ? undefined : Object.fromEntries(ends),
      };
    },
  };
}

/** The answer of a node, and its identity with the sequence before which its next page ends; undefined for the last page. */
type Page = { releases: NodeReleases; end: [string, number] | undefined };

function endOf({ head, entries }: NodeReleases, limit: number): Page['end'] {
  const oldest = entries.at(-1);
  if (oldest === undefined || entries.length < limit) return undefined;
  const { sequence } = entryOf.parse(JSON.parse(oldest));
  return sequence === 1 ? undefined : [headOf.parse(JSON.parse(head)).node, sequence];
}
