import { notFound } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { defineRoute } from './define-route.ts';
import { hexOf32Bytes } from './hex.ts';

export const getRunnerChallenge = defineRoute({
  method: 'GET',
  path: '/v1/runner_attestation',
  tag: 'keys',
  summary: 'Returns the nonce for the quote of a runner, and whether its quote is due',
  description: 'The nonce is valid for a minute. 404 for a node that needs no quotes of runners.',
  auth: 'none',
  query: z.object({ runner: hexOf32Bytes }),
  reply: z.object({ nonce: z.string(), is_due: z.boolean() }),
  errors: ['bad_request', 'not_found'],
  handle: ({ attestedRunners }: Pick<Context, 'attestedRunners'>, { query }) => {
    if (!attestedRunners) throw notFound('This node needs no quotes of runners.');
    const { nonce, isDue } = attestedRunners.challenge(query.runner);
    return { nonce, is_due: isDue };
  },
});
