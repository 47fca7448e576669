/** The requests of the runs of one connection that concern chains. The relayer knows nonces and fees, and each run signs. */
import {
  ActionError,
  checked,
  type FromRunner,
  MAX_RPC_METHOD_CHARS,
  MAX_RPC_PARAMS_CHARS,
  MAX_SIGNINGS,
  type SendRequest,
  sendRequest,
  type ToRunner,
  unsignedForms,
} from '@latchkey/runner-protocol';
import { batch } from '@latchkey/service/batch';
import { type CallChain, type CallKey, toFailure } from '../runs/action-requests.ts';

/**
 * Highest maximum fee per gas that a run signs when the action gives none: 10,000 gwei. A relayer under the control of an attacker could
 * otherwise have the wallet give everything to the producer of a block.
 */
const MAX_FEE_WITHOUT_LIMIT = 10n ** 13n;
/** Each has up to five forms with its data. */
const MAX_SIGNED_TOGETHER = 8;

type Answer = Extract<
  ToRunner,
  { type: 'sign transaction' | 'transaction sent' | 'transaction refused' | 'rpc result' | 'rpc refused' }
>;
type SignMessage = Extract<ToRunner, { type: 'sign transaction' }>;

type Unsigned = ReturnType<typeof unsignedForms>;
/** Signs the forms of one transaction of a wallet. */
type Sign = (pkpId: string, forms: Unsigned) => Promise<string[]>;

type OpenSend = PromiseWithResolvers<string> & {
  transaction: SendRequest;
  sign: Sign;
  signings: number;
  /** Of the last signing. */
  nonce: number;
};

export type ChainCalls = ReturnType<typeof createChainCalls>;

export function createChainCalls(send: (message: FromRunner) => void) {
  const sends = new Map<number, OpenSend>();
  const reads = new Map<number, PromiseWithResolvers<string>>();
  let lastCall = 0;

  return {
    /** Returns the functions of one run. Call `end` when it has ended: nothing is signed for it afterwards. */
    forRun(run: number, callKey: CallKey) {
      const own = new Set<number>();
      const sign = signTogether(callKey);
      const opened = <T>(calls: Map<number, T>, value: T): number => {
        lastCall += 1;
        calls.set(lastCall, value);
        own.add(lastCall);
        return lastCall;
      };
      const callChain: CallChain = async ({ chainId, method, params }) => {
        const fault = faultIn(method, params);
        if (fault !== undefined) throw new ActionError('RpcError', fault);
        const answer = Promise.withResolvers<string>();
        const call = opened(reads, answer);
        send({ type: 'rpc', call, run, chainId, method, params });
        return answer.promise;
      };
      return {
        async sendTransaction(args: unknown): Promise<string> {
          const transaction = checked(sendRequest, args);
          const open = { ...Promise.withResolvers<string>(), transaction, sign, signings: 0, nonce: 0 };
          const call = opened(sends, open);
          send({ type: 'send transaction', call, run, transaction });
          return open.promise;
        },
        callChain,
        end(): void {
          for (const call of own) {
            sends.delete(call);
            reads.delete(call);
          }
        },
      };
    },
    receive(message: Answer): void | Promise<void> {
      if (message.type === 'sign transaction') return answerSigning(message, sends, send);
      const { call } = message;
      const answer = sends.get(call) ?? reads.get(call);
      sends.delete(call);
      reads.delete(call);
      if (message.type === 'transaction sent') {
        const { id, hash, nonce } = message;
        answer?.resolve(JSON.stringify({ id, hash, nonce }));
      } else if (message.type === 'rpc result') answer?.resolve(message.reply);
      else answer?.reject(new ActionError(message.error.name, message.error.message));
    },
  };
}

async function answerSigning(
  message: SignMessage,
  sends: Map<number, OpenSend>,
  send: (message: FromRunner) => void,
): Promise<void> {
  const { call, attempt } = message;
  const open = sends.get(call);
  try {
    if (!open) throw over();
    const signed = await signForms(open, message);
    if (sends.get(call) !== open) throw over();
    send({ type: 'transaction signed', call, attempt, ...signed });
  } catch (error) {
    // The action gets the reason from here.
    sends.delete(call);
    open?.reject(error);
    send({ type: 'transaction not signed', call, attempt, error: toFailure(error, () => {}) });
  }
}

const over = (): ActionError =>
  new ActionError('StoppedError', 'the run has ended, or its transaction was sent or refused');

function faultIn(method: string, params: string): string | undefined {
  if (method.length > MAX_RPC_METHOD_CHARS)
    return `the method has more than ${MAX_RPC_METHOD_CHARS} characters`;
  if (params.length > MAX_RPC_PARAMS_CHARS)
    return `the parameters have more than ${MAX_RPC_PARAMS_CHARS} characters`;
  return undefined;
}

/** Transactions of one wallet that a run sends concurrently share a release of its key, and a key process. */
function signTogether(callKey: CallKey): Sign {
  const wallets = new Map<string, (forms: Unsigned) => Promise<string[]>>();
  const open = (pkpId: string) =>
    batch(
      async (sends: Unsigned[]) => {
        const transactions = sends.flat();
        const signed = JSON.parse(await callKey('sendTransaction', { pkpId, transactions })) as string[];
        return sends.map(({ length }) => signed.splice(0, length));
      },
      { maxSize: MAX_SIGNED_TOGETHER },
    );
  return (pkpId, forms) => {
    const sign = wallets.get(pkpId) ?? open(pkpId);
    wallets.set(pkpId, sign);
    return sign(forms);
  };
}

/** Signs what the action asked for, with the relayer's nonce and fees. Rejects with what the action may see. */
async function signForms(open: OpenSend, asked: SignMessage): Promise<{ forms: string[]; cancel: string }> {
  const { transaction, sign } = open;
  const fault = findFault(open, asked);
  if (fault !== undefined) throw new ActionError('TransactionError', fault);
  open.signings += 1;
  open.nonce = asked.nonce;
  const forms = await sign(transaction.pkpId, unsignedForms(transaction, asked));
  const cancel = forms.pop() as string;
  return { forms, cancel };
}

/** Returns why the run does not sign this. */
function findFault({ transaction, signings, nonce }: OpenSend, asked: SignMessage): string | undefined {
  const { gas, maxFeePerGas } = transaction;
  if (signings >= MAX_SIGNINGS)
    return `other transactions took ${MAX_SIGNINGS} nonces of this one: send it again`;
  if (asked.nonce < nonce) return `the nonce ${asked.nonce} is lower than ${nonce}, which was signed before`;
  if (gas !== undefined && asked.gas !== gas) return `the gas is not ${gas}, as the action asked`;
  const limit = maxFeePerGas === undefined ? MAX_FEE_WITHOUT_LIMIT : BigInt(maxFeePerGas);
  const highest = [...asked.forms, asked.cancel].map((fees) => BigInt(fees.maxFeePerGas));
  if (highest.some((fee) => fee > limit))
    return `the chain asks for a fee above maxFeePerGas, ${limit} wei: send a higher one`;
  return undefined;
}
