/** Limits per run. The host enforces all of them; exceeding one ends the run. */
export type RunLimits = {
  /** Wall time from the moment a process picks up the run. */
  timeoutMs: number;
  /** Anonymous memory (MiB) that the action can use in addition to the idle process. */
  memoryLimitMb: number;
  /** UTF-8 bytes of the code. */
  maxCodeBytes: number;
  /** UTF-8 bytes of the response: of the text for a string, otherwise of its JSON. */
  maxResponseBytes: number;
  /** UTF-8 bytes of the console output, including line ends. */
  maxConsoleBytes: number;
  /** Requests sent by `fetch`; each followed redirect counts as one more. */
  maxFetches: number;
  /** Bytes that fetches send and receive with their framing, and bytes of decompressed bodies. */
  maxFetchBytes: number;
  /** Key functions, each counted once per wallet, key type or CID. */
  maxKeyOperations: number;
  /** Calls of key functions: each asks the key nodes. */
  maxKeyCalls: number;
  /** Transactions that the action sends by `sendTransaction`. */
  maxTransactions: number;
  /** UTF-8 bytes of the JSON of `js_params`. */
  maxParamsBytes: number;
};

const KIB = 1024;
const MIB = 1024 * KIB;

export const defaultLimits: Readonly<RunLimits> = Object.freeze({
  timeoutMs: 15 * 60 * 1000,
  memoryLimitMb: 64,
  maxCodeBytes: 16 * MIB,
  maxResponseBytes: 100 * KIB,
  maxConsoleBytes: 100 * KIB,
  maxFetches: 50,
  maxFetchBytes: 64 * MIB,
  maxKeyOperations: 10,
  maxKeyCalls: 100,
  maxTransactions: 50,
  maxParamsBytes: 1_024 * KIB,
});
