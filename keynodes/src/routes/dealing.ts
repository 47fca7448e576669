import { badRequest, conflict, forbidden } from '@latchkey/http';
import { KeyRequestError, signedCommand } from '@latchkey/key-protocol';
import type { Context } from '../context.ts';
import { DealingError } from '../dealing/stored-dealing.ts';
import { dealingView } from '../dealing/view.ts';
import { defineRoute } from './define-route.ts';

const errors = { malformed: badRequest, refused: forbidden, conflict };

export const dealing = defineRoute({
  method: 'POST',
  path: '/v1/dealing',
  tag: 'dealing',
  summary: 'Carries out a command of the operator in a key generation, refresh or resharing',
  description:
    'The command is signed by the operator for this node, and is accepted once. Every action can be repeated with a new command.',
  auth: 'none',
  idempotent: false,
  body: signedCommand,
  bodyLimitBytes: 512 * 1024,
  reply: dealingView,
  errors: ['bad_request', 'forbidden', 'conflict', 'too_many_requests', 'service_unavailable'],
  example: {
    body: {
      command: {
        version: 1,
        id: '00112233445566778899aabbccddeeff',
        node: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
        boot: 'ffeeddccbbaa99887766554433221100',
        expiresAt: 1_800_000_030_000,
        action: { do: 'show' },
      },
      signature: '00'.repeat(64),
    },
    reply: {
      public_key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      boot: 'ffeeddccbbaa99887766554433221100',
      current: null,
      next: null,
      dealing: null,
    },
  },
  handle: async ({ dealings, badPostLimit }: Pick<Context, 'dealings' | 'badPostLimit'>, { body, ip }) => {
    try {
      return await dealings.run(body);
    } catch (error) {
      if (error instanceof KeyRequestError) {
        badPostLimit.count(ip);
        throw forbidden(error.message);
      }
      throw error instanceof DealingError ? errors[error.code](error.message) : error;
    }
  },
});
