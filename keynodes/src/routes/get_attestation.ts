import { notFound } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { defineRoute } from './define-route.ts';
import { hexOf32Bytes } from './hex.ts';

export const getAttestation = defineRoute({
  method: 'GET',
  path: '/attestation',
  tag: 'service',
  summary: 'Returns a quote of the enclave that the node runs in, for your nonce',
  description:
    'The quote is for SHA-256 of `latchkey/attestation/v2`, a zero byte, and the JSON text ' +
    '`{"purpose":"key-node","identity":"<public_key>","nonce":"<nonce>"}`. Use a nonce once. 404 for a node outside a TEE.',
  auth: 'none',
  query: z.object({ nonce: hexOf32Bytes }),
  reply: z.object({
    public_key: z.string(),
    quote: z.string(),
    event_log: z.string(),
    vm_config: z.string(),
  }),
  errors: ['bad_request', 'not_found', 'too_many_requests', 'service_unavailable'],
  handle: async (
    { identity, attest, quoteLimit }: Pick<Context, 'identity' | 'attest' | 'quoteLimit'>,
    { query, ip },
  ) => {
    if (!attest) throw notFound('This node does not run in a TEE.');
    await quoteLimit.take(ip);
    return { public_key: identity.publicKey, ...(await attest(query.nonce)) };
  },
});
