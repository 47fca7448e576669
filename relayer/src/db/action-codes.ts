import { eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { actionCodes } from './schema.ts';

/** Action code by the CID text under which it runs. Content never changes under its CID. */
export type ActionCodes = {
  get: (cid: string) => Promise<string | undefined>;
  put: (cid: string, code: string) => Promise<void>;
};

export function createActionCodes(db: Database): ActionCodes {
  return {
    async get(cid) {
      const [row] = await db
        .select({ code: actionCodes.code })
        .from(actionCodes)
        .where(eq(actionCodes.cid, cid));
      return row && Buffer.from(row.code).toString('utf8');
    },
    async put(cid, code) {
      await db
        .insert(actionCodes)
        .values({ cid, code: Buffer.from(code, 'utf8') })
        .onConflictDoNothing();
    },
  };
}
