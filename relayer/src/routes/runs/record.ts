/** Shared by the routes of runs: wire form and ownership. */
import { notFound } from '@latchkey/http';
import { keyOperations } from '@latchkey/runner-protocol';
import { z } from 'zod';
import type { Reader } from '../../auth/authenticators.ts';
import type { Context } from '../../context.ts';
import { findRun, type RunOwner, type RunRecord, runStatuses, statusOf } from '../../db/run-records.ts';
import { hashText } from '../../db/text.ts';

export const runStatus = z.enum(runStatuses).meta({
  description:
    '`failed`: ended by an error of the action, a limit, or a stop. `waiting_for_approval`: ended because it needs an approval, with which ' +
    'another run goes on. `released`: the service could not finish it, and it cost nothing.',
});

const moment = z.iso.datetime();

const receiptMessage = z.object({
  runId: z.string(),
  cidHash: z.string(),
  usageKeyHash: z.string(),
  paramsHash: z.string(),
  responseHash: z.string(),
  succeeded: z.boolean(),
  wallets: z.array(z.string()),
  durationMs: z.string(),
  blockNumber: z.string(),
});

/** The output of a run, in its reply and in its record. */
export const runOutput = z.object({
  response: z.unknown(),
  logs: z.string(),
  error: z.object({ name: z.string(), message: z.string(), stack: z.string() }).optional(),
});

export const runRecord = z.object({
  id: z.string().meta({ description: '`X-Run-Id` of svc_action.' }),
  account: z.string().meta({ description: 'Master hash of the account.' }),
  usage_key_hash: z.string(),
  cid: z.string().nullable().meta({ description: 'CID of the code that runs.' }),
  status: runStatus,
  error_name: z.string().nullable().meta({ description: 'Name of the error of a failed run.' }),
  started_at: moment,
  ended_at: moment.nullable(),
  duration_ms: z.int().nullable().meta({ description: 'Wall time.' }),
  cpu_ms: z.int().nullable().meta({ description: 'Processor time.' }),
  memory_peak_bytes: z.int().nullable().meta({
    description: 'Highest memory of the action, read every 20 ms.',
  }),
  charged_micros: z.int().nullable().meta({
    description: 'Price in micro-credits. Null before the end.',
  }),
  key_operations: z
    .array(z.object({ operation: z.enum(keyOperations), wallet: z.string().nullable() }))
    .meta({ description: 'Key functions that succeeded, in their order. Empty before the end.' }),
  fetch_hosts: z
    .array(z.string())
    .meta({ description: 'Hosts to which fetch sent requests. Empty before the end.' }),
  receipt: z
    .object({ message: receiptMessage, signature: z.string() })
    .nullable()
    .meta({ description: '`X-Run-Receipt` of svc_action.' }),
});

export function toRunRecord(run: RunRecord): z.output<typeof runRecord> {
  const { usage } = run;
  return {
    id: run.id,
    account: run.account,
    usage_key_hash: run.key,
    cid: run.cid,
    status: statusOf(run),
    error_name: run.errorName,
    started_at: run.startedAt.toISOString(),
    ended_at: run.endedAt?.toISOString() ?? null,
    duration_ms: run.durationMs,
    cpu_ms: usage?.cpuMs ?? null,
    memory_peak_bytes: usage?.memoryPeakBytes ?? null,
    charged_micros: run.chargedMicros === null ? null : Number(run.chargedMicros),
    key_operations: usage?.keyOperations ?? [],
    fetch_hosts: usage?.fetchHosts ?? [],
    receipt: run.receipt,
  };
}

/** A usage key sees its own runs; the account key and the admin wallet see all runs of the account. */
export function ownerOf({ account, hash, isUsageKey }: Reader): RunOwner {
  return { account: hashText(account), key: isUsageKey ? hashText(hash) : undefined };
}

export const runParams = z.object({ id: z.guid() });

/** Resolves to a run of the caller. Throws 404 for an unknown run and for the run of another caller. */
export async function ownRun({ db }: Pick<Context, 'db'>, caller: Reader, id: string): Promise<RunRecord> {
  const run = await findRun(db, ownerOf(caller), id);
  if (!run)
    throw notFound('There is no such run.', { fix: 'list_runs lists the runs that this key can see.' });
  return run;
}
