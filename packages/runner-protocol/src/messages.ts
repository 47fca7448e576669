/**
 * Messages between a relayer and a runner, over a WebSocket that the relayer opens. A run takes a process, then gives it
 * the code: until then it has no effect, and another runner can take it over. A run that is paid takes an idle process with the
 * message that runs it. Unknown fields are ignored: the next version can add some.
 */
import { signedStatement } from '@latchkey/key-protocol/request';
import { z } from 'zod';
import { approvalProof, approvalRequest, MAX_PROOFS } from './approvals.ts';
import { formsToSign, sendRequest } from './transactions.ts';

/** Chosen by the relayer, one per run of a connection. */
const id = z.int().positive();
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const hex = z.string().regex(/^0x[0-9a-f]+$/);
/** Of a secret: Unix milliseconds. */
const version = z.int().positive();
const failure = z.object({ name: z.string(), message: z.string() });
export type Failure = z.infer<typeof failure>;

export const keyOperations = [
  'getPrivateKey',
  'signMessage',
  'signTypedData',
  'signTransaction',
  'signHash',
  'sendTransaction',
  'Encrypt',
  'Decrypt',
  'getSecret',
  'getActionPrivateKey',
  'getActionPublicKey',
  'getActionWalletAddress',
  'sign',
  'getPublicKey',
] as const;
export type KeyOperation = (typeof keyOperations)[number];

const decimal = z.string().regex(/^(0|[1-9]\d{0,77})$/);
/** A part of a limit, as an action takes it. Amounts are decimal. */
const allowanceRequest = z.object({
  wallet: address,
  name: z.string().regex(/^[\x20-\x7e]{1,256}$/),
  amount: decimal,
  limit: decimal,
  windowSeconds: z.int().positive(),
});
export type AllowanceRequest = z.infer<typeof allowanceRequest>;

const count = z.int().nonnegative();
const load = z.object({
  /** Idle processes. */
  idle: count,
  /** Processes that are starting. */
  starting: count,
  running: count,
  /** Runs that wait for a process. */
  queued: count,
});
export type Load = z.infer<typeof load>;

/** Longest host in the usage of a run; a longer one, which no server has, is cut. */
export const MAX_HOST_CHARS = 300;

export const MAX_RPC_METHOD_CHARS = 100;
/** JSON of the parameters of one call of a node. */
export const MAX_RPC_PARAMS_CHARS = 256 * 1024;

const usage = z.object({
  cpuMs: count,
  memoryPeakBytes: count,
  keyOperations: z.array(z.object({ operation: z.enum(keyOperations), wallet: address.nullable() })).max(100),
  fetchHosts: z.array(z.string().max(MAX_HOST_CHARS)).max(100),
});

/** Public id of a run, which requests to key nodes name. */
const runId = z.uuid().optional();

export const toRunner = z.discriminatedUnion('type', [
  /** Takes a process. `account` is the master hash (0x and hex digits), with which runs share processes fairly. */
  z.object({
    type: z.literal('take'),
    id,
    account: hex,
  }),
  /** Returns the process unused. */
  z.object({ type: z.literal('give back'), id }),
  /**
   * Runs the code in the process. The body is the code, and empty unless the runner asked for it.
   */
  z.object({
    type: z.literal('run'),
    id,
    /** Master hash, present when no `take` came before: the run takes an idle process, or is `unavailable`. */
    account: hex.optional(),
    cid: z.string(),
    /** JSON of the parameters of `main`. */
    params: z.string(),
    timeoutMs: z.int().positive(),
    /** Hash of the usage key (0x and hex digits), which requests to key nodes name. */
    usageKeyHash: hex,
    runId,
    /** Sends the console output as it comes, in `log`. */
    streamsLogs: z.boolean(),
    /** The relayer answers `secret`. One of an earlier version does not know it. */
    hasSecrets: z.boolean().optional(),
    /** The span of the relayer, while its traces are on: the header of that name. */
    traceparent: z.string().max(64).optional(),
    /** The relayer answers `send transaction` and `rpc`. */
    hasChains: z.boolean().optional(),
    /** The relayer has approvals by passkeys. One of an earlier version does not know them. */
    hasPasskeys: z.boolean().optional(),
    /** The approvals with which the run goes on, and the account and the contract for which they are signed. */
    approved: z
      .object({
        account: hex,
        chainId: z.int().positive(),
        contractAddress: address,
        proofs: z.array(approvalProof).max(MAX_PROOFS),
      })
      .optional(),
  }),
  /** Makes a wallet or a usage key at a path, from key nodes. Answered by `minted` or `mint failed`. */
  z.object({
    type: z.literal('mint'),
    id,
    kind: z.enum(['mint-wallet', 'mint-usage-key']),
    path: hex,
    /** Of the wallet. A relayer of an earlier version does not know it. */
    withPublicKey: z.boolean().optional(),
  }),
  /** Lets the key nodes sign the public key of an action that the usage key may run. Answered by `minted` or `mint failed`. */
  z.object({ type: z.literal('certify'), id, usageKeyHash: hex, cid: z.string(), runId }),
  /** Returns a quote of the runner's enclave for the nonce of a key node, as JSON. Answered by `minted` or `mint failed`. */
  z.object({ type: z.literal('quote'), id, nonce: z.string().regex(/^[0-9a-f]{64}$/) }),
  /** The answer of a key node to a `key request`. `path`: derivation path of the wallet, if the request is for one. */
  z.object({
    type: z.literal('partial'),
    call: id,
    /** Canonical text of the parameters of the group. */
    parameters: z.string(),
    /** Position of the node in the relayer's list: its identifier is only a claim. */
    node: id,
    identifier: id,
    partial: z.base64(),
    path: hex.nullable(),
  }),
  /** No further node will answer a `key request`; `isRefused` when the contract does not permit it. */
  z.object({ type: z.literal('partials end'), call: id, isRefused: z.boolean(), message: z.string() }),
  /** Ends a run with this error of the action. */
  z.object({ type: z.literal('stop'), id, error: failure }),
  z.object({ type: z.literal('certificate'), call: id, value: z.string() }),
  z.object({ type: z.literal('certificate refused'), call: id, error: failure }),
  /** A version of a secret, encrypted to a wallet. */
  z.object({ type: z.literal('secret'), call: id, version, wallet: address, ciphertext: z.base64() }),
  z.object({ type: z.literal('secret refused'), call: id, error: failure }),
  /** `value`: JSON of the signed statement. */
  z.object({ type: z.literal('allowance'), call: id, value: z.string() }),
  z.object({ type: z.literal('allowance refused'), call: id, error: failure }),
  /** Asks for signatures of the transaction of a `send transaction`, for one nonce. Answered by `transaction signed` or `transaction not signed`. */
  z.object({ type: z.literal('sign transaction'), call: id, attempt: id, ...formsToSign.shape }),
  z.object({ type: z.literal('transaction sent'), call: id, id: z.string(), hash: hex, nonce: count }),
  z.object({ type: z.literal('transaction refused'), call: id, error: failure }),
  /** JSON of the `result` or `error` of JSON-RPC. */
  z.object({ type: z.literal('rpc result'), call: id, reply: z.string() }),
  z.object({ type: z.literal('rpc refused'), call: id, error: failure }),
]);
export type ToRunner = z.infer<typeof toRunner>;

export const fromRunner = z.discriminatedUnion('type', [
  /** First of all messages: the memory limit of its processes, and the kernel's limits on them, for the log. */
  z.object({
    type: z.literal('hello'),
    memoryLimitMb: z.int().positive(),
    /** The walls around its actions, for the log. */
    walls: z.array(z.string()),
    /** Ed25519 public key of a runner in an enclave, for which it gives quotes. */
    attested: z.string().optional(),
    /** Public keys of the group of key nodes that it trusts, as in its KEY_GROUP. */
    keyGroup: z.array(z.string()).optional(),
    /** Version of the runner. */
    version: z.string().max(64).optional(),
  }),
  z.object({ type: z.literal('load'), load }),
  z.object({ type: z.literal('taken'), id }),
  /** The runner does not have the code: it expects `run` again, with the code. */
  z.object({ type: z.literal('code missing'), id }),
  z.object({
    type: z.literal('result'),
    id,
    result: z.object({
      response: z.unknown(),
      logs: z.string(),
      hasError: z.boolean(),
      error: z.object({ name: z.string(), message: z.string(), stack: z.string() }).optional(),
      durationMs: count,
      usage,
      approval: approvalRequest.optional(),
    }),
  }),
  /** Console output of a run that streams it. All texts together are the `logs` of its result. */
  z.object({ type: z.literal('log'), id, text: z.string() }),
  /** No process can take the run. */
  z.object({ type: z.literal('unavailable'), id, message: z.string() }),
  /** Asks for the certificate of the public key of an action; answered by `certificate` or `certificate refused`. */
  z.object({ type: z.literal('certificate'), call: id, run: id, cid: z.string() }),
  /** Asks for a secret of the account, the newest version if it names none; answered by `secret` or `secret refused`. */
  z.object({ type: z.literal('secret'), call: id, run: id, name: z.string(), version: version.optional() }),
  /**
   * Takes a part of a limit of the action. `number` counts those of the run from 1: a repeated one takes nothing again. Answered by
   * `allowance` or `allowance refused`.
   */
  z.object({ type: z.literal('take allowance'), call: id, run: id, number: id, allowance: allowanceRequest }),
  /** Sends a transaction of a wallet; answered by `sign transaction`, and last `transaction sent` or `transaction refused`. */
  z.object({ type: z.literal('send transaction'), call: id, run: id, transaction: sendRequest }),
  /** The signed forms of one nonce, in the order of the request, and the cancelling one. */
  z.object({
    type: z.literal('transaction signed'),
    call: id,
    attempt: id,
    forms: z.array(hex),
    cancel: hex,
  }),
  z.object({ type: z.literal('transaction not signed'), call: id, attempt: id, error: failure }),
  /** A call of a node of a chain. `params` is JSON. Answered by `rpc result` or `rpc refused`. */
  z.object({
    type: z.literal('rpc'),
    call: id,
    run: id,
    chainId: id,
    method: z.string().max(MAX_RPC_METHOD_CHARS),
    params: z.string().max(MAX_RPC_PARAMS_CHARS),
  }),
  /** A request to the key nodes, for a run or a mint; answered by `partial` and `partials end`. */
  z.object({ type: z.literal('key request'), call: id, run: id, signed: signedStatement }),
  /** Ends a `key request`. `isMissing`: the run needs the key and did not get it. */
  z.object({ type: z.literal('key request done'), call: id, run: id, isMissing: z.boolean() }),
  /** The key node with this identifier gave an answer that does not hold. */
  z.object({ type: z.literal('wrong answer'), node: id }),
  /** The address of a new wallet, the secret of a new usage key, the certificate of the public key of an action, or a quote. */
  z.object({ type: z.literal('minted'), id, value: z.string() }),
  z.object({ type: z.literal('mint failed'), id, message: z.string() }),
  /** An error on the runner's side of a run. */
  z.object({
    type: z.literal('host error'),
    cid: z.string(),
    message: z.string(),
    stack: z.string().optional(),
  }),
]);
export type FromRunner = z.infer<typeof fromRunner>;
