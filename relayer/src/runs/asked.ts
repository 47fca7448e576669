/** A run as it is asked for, and the parts of the relayer that it uses. */
import type { Logger } from 'pino';
import type { RunCaller } from '../auth/authenticators.ts';
import type { Context } from '../context.ts';

export type RunContext = Pick<
  Context,
  | 'accountConfig'
  | 'actionCodes'
  | 'actionKeys'
  | 'actionSource'
  | 'admission'
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
