/** Earlier revisions of triggers, for runs that may have been executed. */
import { inBatches } from '@latchkey/service/in-batches';
import { sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { revisions, runs, triggers } from '../db/schema.ts';

/** Age below which a revision is kept: a claim may have read it and not stored yet that its run uses it. */
const UNUSED_HOURS = 1;

/** Stores the current revision of a trigger and locks the trigger. Call in the transaction that changes it. */
export async function storeRevision(tx: Database, triggerId: string): Promise<void> {
  await tx.execute(sql`
    insert into ${revisions} (trigger_id, number, action_code, action_cid, default_params, usage_api_key)
    select id, revision, action_code, action_cid, default_params, usage_api_key from ${triggers}
    where id = ${triggerId}::uuid for no key update`);
}

/** Deletes the revisions that no unfinished run uses, until `signal` is aborted. */
export async function removeUnusedRevisions(db: Database, signal?: AbortSignal): Promise<void> {
  const isUnused = sql`${revisions.createdAt} < now() - make_interval(hours => ${UNUSED_HOURS}) and not exists (
      select from ${runs}
      where ${runs.triggerId} = ${revisions.triggerId} and ${runs.revision} = ${revisions.number}
        and ${runs.status} in ('queued', 'running'))`;
  await inBatches(async (rows) => {
    const old = sql`select ctid from ${revisions} where ${isUnused} order by created_at limit ${rows} for update skip locked`;
    const deleted = await db
      .delete(revisions)
      .where(sql`ctid = any(array(${old}))`)
      .returning({ number: revisions.number });
    return deleted.length;
  }, signal);
}
