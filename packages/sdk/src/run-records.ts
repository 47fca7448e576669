/** Records of runs. */
import { getAsOwner } from './as-owner.ts';
import type { BareClient } from './bare-client.ts';
import { type CallOptions, defaultDeadline } from './deadline.ts';
import { type GetReplyOf, optionalDate, sendDelete } from './http.ts';
import type { Page } from './pages.ts';
import { readCredential } from './proof.ts';
import { readReceipt, type SignedReceipt } from './receipts.ts';
import type { RunActionResult } from './runs.ts';
import { usageKeyHash, word } from './values.ts';

type WireRun = GetReplyOf<'/core/v1/list_runs'>[number];

/**
 * `failed`: ended by an error of the action, a limit, or a stop. `waiting_for_approval`: ended because it needs an approval, with which another
 * run goes on. `released`: the service could not finish it, and it cost
 * nothing.
 */
export type RunStatus = GetReplyOf<'/core/v1/list_runs'>[number]['status'];

/** The output of a run. */
export type RunOutput = Pick<RunActionResult, 'response' | 'logs' | 'error'>;

/** The record of a run. It never has code, parameters or keys. */
export interface RunRecord {
  id: string;
  /** Hash of the usage key that ran it. */
  usageKeyHash: bigint;
  /** CID of the code. */
  cid?: string | undefined;
  status: RunStatus;
  /** Name of the error of a failed run. */
  errorName?: string | undefined;
  startedAt: Date;
  endedAt?: Date | undefined;
  /** Wall time. */
  durationMs?: number | undefined;
  /** Processor time. */
  cpuMs?: number | undefined;
  /** Highest memory of the action, read every 20 ms. */
  memoryPeakBytes?: number | undefined;
  /** Price in micro-credits. */
  chargedMicros?: bigint | undefined;
  /** Key functions that succeeded, in their order. Empty before the end. */
  keyOperations: WireRun['key_operations'];
  /** Hosts to which `fetch` sent requests. Empty before the end. */
  fetchHosts: string[];
  receipt?: SignedReceipt | undefined;
  /** Only from {@link getRun} with the account key or the admin wallet, when `setUsageApiKeyRecording` was on. */
  output?: RunOutput | undefined;
}

const toRecord = (run: WireRun): RunRecord => ({
  id: run.id,
  usageKeyHash: BigInt(run.usage_key_hash),
  cid: run.cid ?? undefined,
  status: run.status,
  errorName: run.error_name ?? undefined,
  startedAt: new Date(run.started_at),
  endedAt: optionalDate(run.ended_at),
  durationMs: run.duration_ms ?? undefined,
  cpuMs: run.cpu_ms ?? undefined,
  memoryPeakBytes: run.memory_peak_bytes ?? undefined,
  chargedMicros: run.charged_micros === null ? undefined : BigInt(run.charged_micros),
  keyOperations: run.key_operations,
  fetchHosts: run.fetch_hosts,
  receipt: run.receipt === null ? undefined : readReceipt(run.receipt),
});

/** Filters, all of which a run must match. */
export interface ListRunsParameters {
  /** Items per page, 1 to 1,000. Default 100. */
  pageSize?: number | undefined;
  /** Id of a run: lists the runs that began before it. */
  before?: string | undefined;
  /** The usage key that ran it, or its hash. */
  usageKey?: string | bigint | undefined;
  /** The CID of the code, as text. */
  cid?: string | undefined;
  status?: RunStatus | undefined;
  errorName?: string | undefined;
  /** Runs that began at this time or later. */
  from?: Date | undefined;
  /** Runs that began before this time. */
  to?: Date | undefined;
}

/**
 * Lists the records of runs, newest first: the runs of the account, or with a usage key its own runs. A page after the last full one
 * can be empty.
 */
export async function listRuns(
  client: BareClient,
  parameters: ListRunsParameters = {},
  options?: CallOptions,
): Promise<Page<RunRecord, ListRunsParameters>> {
  const { pageSize = 100, before, usageKey, cid, status, errorName, from, to } = parameters;
  const { json } = await getAsOwner(client, options, '/core/v1/list_runs', {
    query: {
      page_size: pageSize,
      before,
      usage_key_hash: usageKey === undefined ? undefined : word(usageKeyHash(usageKey)),
      cid,
      status,
      error_name: errorName,
      from: from?.toISOString(),
      to: to?.toISOString(),
    },
  });
  const last = json.length < pageSize ? undefined : json.at(-1);
  return { items: json.map(toRecord), nextPage: last && { ...parameters, before: last.id } };
}

export interface RunParameters {
  runId: string;
}

/** Returns the record of a run. */
export async function getRun(
  client: BareClient,
  { runId }: RunParameters,
  options?: CallOptions,
): Promise<RunRecord> {
  const { json } = await getAsOwner(client, options, '/core/v1/run/{id}', { params: { id: runId } });
  return { ...toRecord(json), output: json.output ?? undefined };
}

/**
 * Stops a run: it ends with `StoppedError` and is charged for the seconds that it used. Returns its record. A run that has
 * ended stays as it is.
 */
export async function stopRun(
  client: BareClient,
  { runId }: RunParameters,
  options?: CallOptions,
): Promise<RunRecord> {
  const deadline = defaultDeadline(client, options);
  const credential = await readCredential(client, deadline);
  const { json } = await sendDelete(client, '/core/v1/run/{id}', {
    params: { id: runId },
    ...credential,
    deadline,
  });
  return toRecord(json);
}
