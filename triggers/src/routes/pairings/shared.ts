/** Shared by the routes of people who review a pairing. */
import { notFound } from '@latchkey/http';
import { z } from 'zod';

/** The code is a secret, so it is in the body and in no path. */
export const pairingBody = z.object({
  code: z.string().meta({ description: 'The code in `authorize_url`.' }),
});

export const pairingNotFound = () =>
  notFound('The code is unknown, expired, denied or already used.', {
    fix: 'Ask your agent for a new link.',
  });

export const exampleCode = 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg';
