import { forbidden } from '@latchkey/http';
import { KeyRequestError, signedReleaseQuery, signHead, verifyReleaseQuery } from '@latchkey/key-protocol';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { defineRoute } from './define-route.ts';

export const releases = defineRoute({
  method: 'POST',
  path: '/v1/releases',
  tag: 'keys',
  summary: 'Returns what this node released for a derivation path, newest first',
  description:
    'The query is signed by a relayer. `head` is signed by the node over its time, the nonce of the query, and the number and SHA-256 of ' +
    'the newest entry; each entry has the SHA-256 of the previous one. Entries are kept for RELEASE_LOG_DAYS.',
  auth: 'none',
  idempotent: false,
  body: signedReleaseQuery,
  reply: z.object({ head: z.string(), signature: z.string(), entries: z.array(z.string()) }),
  errors: ['forbidden', 'too_many_requests'],
  example: {
    body: {
      query: {
        version: 1,
        path: '0x1f',
        nonce: '00112233445566778899aabbccddeeff',
        before: null,
        limit: 100,
        expiresAt: 1_800_000_010_000,
      },
      relayer: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      signature: '00'.repeat(64),
    },
    reply: { head: '{"version":1}', signature: '00'.repeat(64), entries: [] },
  },
  handle: (
    {
      config,
      identity,
      releaseLog,
      badPostLimit,
    }: Pick<Context, 'config' | 'identity' | 'releaseLog' | 'badPostLimit'>,
    { body, ip },
  ) => {
    try {
      verifyReleaseQuery(body, { relayers: config.relayerKeys, nowMs: Date.now() });
    } catch (error) {
      if (!(error instanceof KeyRequestError)) throw error;
      badPostLimit.count(ip);
      throw forbidden(error.message);
    }
    const { path, nonce, before, limit } = body.query;
    const { entries, ...head } = releaseLog.read(BigInt(path), { before, limit });
    const { publicKey: node } = identity;
    return { ...signHead({ version: 1, node, path, nonce, time: Date.now(), ...head }, identity), entries };
  },
});
