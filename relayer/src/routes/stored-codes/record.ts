/** Shared by the routes of stored code: wire form. */
import { z } from 'zod';
import type { StoredCodes } from '../../db/stored-codes.ts';

export const storedCode = z.object({
  cid: z.string(),
  bytes: z.int().meta({ description: 'Length of the code in UTF-8.' }),
  replaces_hashed_cid: z.string().nullable().meta({
    description: 'Hash of the CID of the version that it replaces. Null for a first version.',
  }),
  stored_at: z.iso.datetime(),
});

type Stored = Awaited<ReturnType<StoredCodes['list']>>[number];

export const toStoredCode = ({ cid, bytes, replaces, storedAt }: Stored): z.output<typeof storedCode> => ({
  cid,
  bytes,
  replaces_hashed_cid: replaces,
  stored_at: storedAt.toISOString(),
});

export const exampleCid = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';
