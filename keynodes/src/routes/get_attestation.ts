import { notFound } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { defineRoute } from './define-route.ts';

export const getAttestation = defineRoute({
  method: 'GET',
  path: '/attestation',
  tag: 'service',
  summary: 'Returns a quote of the enclave that the node runs in',
  description:
    'The quote is for `report_data`: SHA-256 of `latchkey/key-node/v1`, a zero byte, and `public_key` as text. 404 for a node outside a TEE.',
  auth: 'none',
  reply: z.object({
    public_key: z.string(),
    report_data: z.string(),
    quote: z.string(),
    event_log: z.string(),
    vm_config: z.string(),
  }),
  errors: ['not_found', 'service_unavailable'],
  handle: async ({ identity, attest }: Pick<Context, 'identity' | 'attest'>) => {
    if (!attest) throw notFound('This node does not run in a TEE.');
    return { public_key: identity.publicKey, ...(await attest()) };
  },
});
