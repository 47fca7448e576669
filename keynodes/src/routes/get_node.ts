import { z } from 'zod';
import type { Context } from '../context.ts';
import { defineRoute } from './define-route.ts';

export const getNode = defineRoute({
  method: 'GET',
  path: '/v1/node',
  tag: 'service',
  summary: 'Returns the identity of the node and its place in the published group',
  auth: 'none',
  reply: z.object({
    public_key: z.string(),
    identifier: z.int().nullable(),
    epoch: z.int().nullable(),
  }),
  errors: ['service_unavailable'],
  handle: async ({ identity, publishedShare }: Pick<Context, 'identity' | 'publishedShare'>) => {
    const published = await publishedShare();
    return {
      public_key: identity.publicKey,
      identifier: published?.share.identifier ?? null,
      epoch: published?.share.epoch ?? null,
    };
  },
});
