import { forbidden, notFound } from '@latchkey/http';
import { isRunnerAttestation, runnerAttestation } from '@latchkey/key-protocol';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { defineRoute } from './define-route.ts';

export const attestRunner = defineRoute({
  method: 'POST',
  path: '/v1/runner_attestation',
  tag: 'keys',
  summary: 'Verifies the quote of a runner, which may then ask for keys for ten minutes',
  description:
    'The quote is for SHA-256 of `latchkey/attestation/v2`, a zero byte, and the JSON text ' +
    '`{"purpose":"runner","identity":"<runner>","nonce":"<nonce>"}`, with a nonce of this node. A relayer signs the request.',
  auth: 'none',
  idempotent: false,
  body: runnerAttestation,
  bodyLimitBytes: 512 * 1024,
  reply: z.object({ success: z.literal(true) }),
  errors: ['bad_request', 'forbidden', 'not_found', 'service_unavailable'],
  example: {
    body: {
      runner: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      nonce: '00'.repeat(32),
      evidence: { quote: '04000200', event_log: '[]', vm_config: '{}' },
      relayer: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      relayerSignature: '00'.repeat(64),
    },
    reply: { success: true },
  },
  handle: async (
    { attestedRunners, config, badPostLimit }: Pick<Context, 'attestedRunners' | 'config' | 'badPostLimit'>,
    { body, ip },
  ) => {
    if (!attestedRunners) throw notFound('This node needs no quotes of runners.');
    if (!isRunnerAttestation(body, config.relayerKeys)) {
      badPostLimit.count(ip);
      throw forbidden('No relayer of this node has signed the quote.');
    }
    await attestedRunners.attest(body);
    return { success: true } as const;
  },
});
