/** Answers the requests of a runner that concern chains: transactions of wallets, which its runs sign, and calls of nodes. */
import {
  ActionError,
  defaultLimits,
  type Failure,
  type FromRunner,
  type SendRequest,
  type ToRunner,
} from '@latchkey/runner-protocol';
import {
  type SignByRun,
  type SignedByRun,
  type ToSignByRun,
  type WalletFees,
  WalletTransactionError,
} from '../wallet-transactions/types.ts';
import { toFailure } from './key-answers.ts';

export type RpcCall = Pick<Extract<FromRunner, { type: 'rpc' }>, 'chainId' | 'method' | 'params'>;
/** The chains, for one run. Errors that its action may see are `ActionError`s and `WalletTransactionError`s. */
export type RunChains = {
  sendTransaction: (
    request: SendRequest,
    sign: SignByRun,
  ) => Promise<{ id: string; hash: string; nonce: number }>;
  /** Resolves to JSON of the `result` or `error` of JSON-RPC. */
  callNode: (call: RpcCall) => Promise<string>;
};

/** The requests of one run. */
export class ChainRequests {
  readonly chains: RunChains;
  readonly #ended = new AbortController();
  #sends = 0;
  #reads = 0;

  constructor(chains: RunChains) {
    this.chains = chains;
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The runner ends a run above these limits, unless the runner is under the control of an attacker. */
  requireSend(): void {
    this.#sends += 1;
    if (this.#sends > defaultLimits.maxTransactions)
      throw new ActionError('TransactionLimitError', 'the action sent too many transactions');
  }

  requireRead(): void {
    this.#reads += 1;
    if (this.#reads > defaultLimits.maxFetches)
      throw new ActionError('FetchLimitError', 'the action fetched too often');
  }

  end(): void {
    this.#ended.abort();
  }
}

type Signing = PromiseWithResolvers<SignedByRun> & { attempt: number };

export type ChainRequestsOptions = {
  send: (message: ToRunner) => void;
  /** Returns the requests of a run whose code has begun, undefined for another one. */
  find: (run: number) => ChainRequests | undefined;
  /** Called with errors of the relayer. */
  onError: (error: unknown, run: number) => void;
};

/** Returns the handlers of a runner's messages about chains. */
export function createChainRequests({ send, find, onError }: ChainRequestsOptions) {
  /** Signings that the runner has not answered, by call. */
  const signings = new Map<number, Signing>();
  const requireRun = (run: number): ChainRequests => {
    const requests = find(run);
    if (!requests) throw new ActionError('StoppedError', 'the run has ended');
    return requests;
  };
  const failureOf = (error: unknown, run: number): Failure => {
    if (error instanceof WalletTransactionError) return { name: error.name, message: error.message };
    if (!(error instanceof ActionError)) onError(error, run);
    return toFailure(error);
  };

  const signerOf = (call: number, ended: AbortSignal): SignByRun => {
    let attempt = 0;
    return async (toSign) => {
      attempt += 1;
      const signing = { ...Promise.withResolvers<SignedByRun>(), attempt };
      signings.set(call, signing);
      send({ type: 'sign transaction', call, attempt, ...wireOf(toSign) });
      return untilEnd(signing, ended).finally(() => signings.delete(call));
    };
  };

  return {
    async sendTransaction({ call, run, transaction }: Extract<FromRunner, { type: 'send transaction' }>) {
      try {
        const requests = requireRun(run);
        requests.requireSend();
        const sign = signerOf(call, requests.ended);
        const { id, hash, nonce } = await requests.chains.sendTransaction(transaction, sign);
        send({ type: 'transaction sent', call, id, hash, nonce });
      } catch (error) {
        send({ type: 'transaction refused', call, error: failureOf(error, run) });
      }
    },
    takeSignatures(
      message: Extract<FromRunner, { type: 'transaction signed' | 'transaction not signed' }>,
    ): void {
      const signing = signings.get(message.call);
      if (signing?.attempt !== message.attempt) return;
      if (message.type === 'transaction signed') {
        const { forms, cancel } = message as SignedByRun;
        signing.resolve({ forms, cancel });
      } else signing.reject(new ActionError(message.error.name, message.error.message));
    },
    async callNode({ call, run, chainId, method, params }: Extract<FromRunner, { type: 'rpc' }>) {
      try {
        const requests = requireRun(run);
        requests.requireRead();
        const reply = await requests.chains.callNode({ chainId, method, params });
        send({ type: 'rpc result', call, reply });
      } catch (error) {
        send({ type: 'rpc refused', call, error: failureOf(error, run) });
      }
    },
  };
}

function wireOf({ nonce, gas, forms, cancel }: ToSignByRun) {
  const fees = ({ maxFeePerGas, maxPriorityFeePerGas }: WalletFees) => ({
    maxFeePerGas: String(maxFeePerGas),
    maxPriorityFeePerGas: String(maxPriorityFeePerGas),
  });
  return {
    nonce,
    gas: String(gas),
    forms: forms.map(fees),
    cancel: { ...fees(cancel), gas: String(cancel.gas) },
  };
}

/** Rejects when the run ends. */
async function untilEnd({ promise, reject }: Signing, ended: AbortSignal): Promise<SignedByRun> {
  const end = () => reject(new ActionError('StoppedError', 'the run has ended'));
  if (ended.aborted) end();
  ended.addEventListener('abort', end);
  return promise.finally(() => ended.removeEventListener('abort', end));
}
