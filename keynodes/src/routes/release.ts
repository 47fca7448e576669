import { derivationPath } from '@latchkey/http';
import { keyRequest } from '@latchkey/key-protocol';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { defineRoute } from './define-route.ts';

export const release = defineRoute({
  method: 'POST',
  path: '/v1/release',
  tag: 'keys',
  summary: 'Returns this node’s part of a key, encrypted to the run',
  description:
    'The node asks the contract whether the usage key, the CID and the wallet belong together, or whether the path is free. ' +
    'The request is signed by a runner and a relayer, and is accepted once.',
  auth: 'none',
  body: keyRequest,
  reply: z.object({
    identifier: z.int(),
    epoch: z.int(),
    partial: z.base64(),
    path: derivationPath.nullable(),
  }),
  errors: ['forbidden', 'too_many_requests', 'service_unavailable'],
  example: {
    body: {
      statement: {
        version: 1,
        id: '00112233445566778899aabbccddeeff',
        group: 'e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76',
        purpose: { kind: 'mint-wallet', path: `0x${'00'.repeat(31)}1f` },
        run: null,
        withProof: true,
        recipient: 'de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f',
        expiresAt: 1_800_000_010_000,
      },
      runner: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      runnerSignature: '00'.repeat(64),
      block: 7,
      relayer: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      relayerSignature: '00'.repeat(64),
    },
    reply: { identifier: 1, epoch: 1, partial: 'AAECAwQFBgc=', path: `0x${'00'.repeat(31)}1f` },
  },
  handle: ({ release }: Pick<Context, 'release'>, { body, ip }) => release(body, ip),
});
