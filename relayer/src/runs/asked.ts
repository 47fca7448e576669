/** A run as it is asked for and on its way, and the parts of the relayer that it uses. */
import type { Logger } from 'pino';
import type { RunCaller } from '../auth/authenticators.ts';
import type { RecentKey } from '../auth/key-registry.ts';
import type { PaidRun } from '../billing/runs.ts';
import type { Context } from '../context.ts';
import type { RunKeySource } from '../runners/key-answers.ts';
import type { Continued } from './approvals.ts';

export type RunContext = Pick<
  Context,
  | 'accountConfig'
  | 'actionCodes'
  | 'actionKeys'
  | 'actionSource'
  | 'admission'
  | 'approvals'
  | 'callNode'
  | 'countRun'
  | 'db'
  | 'keyNodes'
  | 'keyRegistry'
  | 'permittedRuns'
  | 'receipts'
  | 'runLimits'
  | 'runLocks'
  | 'runners'
  | 'runs'
  | 'runStops'
  | 'runWatch'
  | 'takeAllowance'
  | 'sendWalletTransaction'
>;

export type Asked = {
  /** Not empty. */
  code: string | undefined;
  ipfs_id?: string | null | undefined;
  js_params?: Record<string, unknown> | null | undefined;
  json_params?: Record<string, string> | null | undefined;
  /** Longest run, when it is shorter than those of the key and the service. */
  timeout_ms?: number | null | undefined;
  concurrency_key?: string | null | undefined;
  /** The approval with which a run goes on. All that is above is then as the run before had it, except for `code`. */
  approval_id?: string | null | undefined;
  caller: RunCaller;
  runId: string;
  idempotencyId: string | undefined;
  /** Aborts when the client has closed the request. Its run is stopped, unless a repeated request can have the outcome. */
  closed?: AbortSignal | undefined;
  /** Called when the code begins. */
  onStart?: ((cid: string) => void) | undefined;
  /** Called with the console output as it comes. */
  onLog?: ((text: string) => void) | undefined;
  log: Logger;
};

/** A run and the parts that it got on its way. */
export type Live = {
  context: RunContext;
  asked: Asked;
  cid: string;
  code: string;
  /** The run before that waited for an approval, and goes on. */
  continued: Continued | undefined;
  /** The lookup of the usage key. */
  key: RecentKey;
  /** Signals that end the run. */
  ends: AbortSignal[];
  /** The run relies on the state of the chain at this block or later. */
  minBlock: bigint;
  paid?: PaidRun;
  ran?: { keys: RunKeySource; params: string };
};
