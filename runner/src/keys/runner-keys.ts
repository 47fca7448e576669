/** Keys from key nodes, for the runs of this runner. Loaded only by a runner that has key nodes: its start is shorter without. */
import {
  createIdentity,
  LIFETIME_MS,
  type SignedStatement,
  signStatement,
  type WalletUse,
} from '@latchkey/key-protocol';
import type { KeyOperation } from '@latchkey/runner-protocol';
import {
  callThresholdOperation,
  isThresholdOperation,
  type ThresholdOperation,
} from '@latchkey/runner-protocol/threshold-operation';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Address, getAddress, isAddress } from 'viem';
import type { CallKey } from '../runs/action-requests.ts';
import { createTurns } from '../scheduling/turns.ts';
import { publicKeyIn } from './action-keys.ts';
import { openKeyProcesses } from './key-processes.ts';
import type { KeyTask, MintPurpose } from './key-protocol.ts';
import { type OpenTask, openKeyTask, type TaskHost } from './key-task.ts';
import type { SigningGroup } from './nonce-pool.ts';
import { type AskNodes, createDecoder, type RunOfKeys } from './releases.ts';
import { askSecret, type SecretOf } from './secrets.ts';
import { createSignatures } from './signatures.ts';
import { createThresholdKeys } from './threshold-keys.ts';

/** About the time between two blocks: a removed permission is used no longer than this. */
const AHEAD_LIFETIME_MS = 1_000;
/** Concurrent key processes of a run. */
const MAX_AT_ONCE = 2;
const IDLE_PROCESSES = 4;

export type OpenKeys = {
  callKey: CallKey;
  /** Ends the processes that have keys of the run. */
  end: () => void;
};

/** Keys for the runs of one relayer's connection: no relayer learns which wallets the runs of other relayers use. */
export type RunnerKeys = {
  /**
   * Returns the key functions of a run with these parameters (JSON), whose usage key is 0x and hex digits. Asks for the key of the
   * wallet that the parameters name, or that the last run used. Call `end` when the run has ended.
   */
  openRun: (asks: Asks, run: RunOfKeys, params: string) => OpenKeys;
  /** Returns the address of a new wallet with its certificate, as JSON, or the secret of a new usage key. */
  mint: (ask: AskSigned, purpose: MintPurpose) => Promise<string>;
  /** Returns a certificate of the public key of an action, which is not secret. */
  certify: (ask: AskSigned, run: RunOfKeys) => Promise<string>;
};
/** Sends a statement that this runner has signed to the key nodes. */
export type AskSigned = (
  signed: SignedStatement,
  onAnswer: Parameters<AskNodes>[1],
  onEnd: Parameters<AskNodes>[2],
) => ReturnType<AskNodes>;
/** The sources of the keys of a run: key nodes, and the relayer, which has certificates of the public keys of other actions, and secrets. */
type Asks = { askNodes: AskSigned; certificateOf: (cid: string) => Promise<string>; secretOf: SecretOf };

/** Opens the keys for one connection, whose relayer is told which key nodes gave an answer that does not hold. */
export type OpenRunnerKeys = (onWrongAnswer: (node: number) => void) => RunnerKeys;

export type RunnerKeysOptions = {
  /** Group public key of the nodes. */
  group: string;
  signing: SigningGroup;
  /** SECRET. Seed of the key by which the nodes know this runner. */
  seed: string;
  log: Logger;
};

/** Resolves when the first key process waits. */
export async function openRunnerKeys({ group, signing, seed, log }: RunnerKeysOptions) {
  const identity = createIdentity(seed);
  const processes = await openKeyProcesses(IDLE_PROCESSES);
  log.info({ public_key: identity.publicKey, group }, 'keys come from key nodes');
  const decode = createDecoder(group);

  const connect: OpenRunnerKeys = (tellRelayer) => {
    const onWrongAnswer = (node: number, reason: string): void => {
      log.error({ node, reason }, 'a key node gave an answer that does not hold');
      tellRelayer(node);
    };
    const signatures = createSignatures({ group, signing, onWrongAnswer });
    // Valid from now on, by the clock of this process.
    const signedBy =
      (askNodes: AskSigned): AskNodes =>
      (statement, ...on) =>
        askNodes(signStatement({ ...statement, expiresAt: Date.now() + LIFETIME_MS }, identity), ...on);
    const open = (askNodes: AskSigned, publicKeyOf = noPublicKeys): OpenTask =>
      openKeyTask(processes.take(), { ask: signedBy(askNodes), decode, publicKeyOf, onWrongAnswer });
    const perform = (askNodes: AskSigned, task: KeyTask): Promise<string> => {
      const opened = open(askNodes);
      opened.send({ type: 'task', group, task });
      return opened.result;
    };
    /** Wallet of the last run by usage key and CID, for actions whose parameters do not name it. */
    const lastWallets = new LRUCache<string, Wanted>({ max: 10_000 });
    return {
      openRun({ askNodes, certificateOf, secretOf }, run, params) {
        const name = `${run.usageKeyHash} ${run.cid}`;
        const publicKeyOf = async (ipfsId: string) => publicKeyIn(await certificateOf(ipfsId), ipfsId, group);
        const keys = createRunTasks(() => open(askNodes, publicKeyOf), group, run);
        const thresholdKeys = createThresholdKeys({ signatures, ask: signedBy(askNodes), run });
        const last = lastWallets.get(name);
        const wallet = walletIn(params);
        const expected =
          wallet && wallet !== last?.wallet ? { wallet, use: last?.use ?? ('inside' as const) } : last;
        if (expected) keys.askAhead(expected);
        return {
          async callKey(operation, args) {
            if (isThresholdOperation(operation))
              return callThresholdOperation(thresholdKeys, operation, args);
            return keys.call(operation, operation === 'getSecret' ? await askSecret(secretOf, args) : args);
          },
          end() {
            const used = keys.end();
            // After a wrong guess the next run of the action asks for no key ahead.
            if (used && (!expected || used.wallet === expected.wallet)) lastWallets.set(name, used);
            else lastWallets.delete(name);
          },
        };
      },
      mint: (ask, purpose) => perform(ask, { kind: 'mint', purpose }),
      certify: (ask, run) => perform(ask, { kind: 'certify', run }),
    };
  };
  return Object.assign(connect, { close: processes.close });
}

const noPublicKeys: TaskHost['publicKeyOf'] = () => Promise.reject(new Error('a task without an action'));

/** A wallet, and whether its key leaves the key process. */
type Wanted = { wallet: Address; use: WalletUse };

/** The key functions of one run, each in a process that ends with it. */
function createRunTasks(open: () => OpenTask, group: string, run: RunOfKeys) {
  const inTurn = createTurns(MAX_AT_ONCE);
  const opened = new Set<OpenTask>();
  let first: Wanted | undefined;
  let ahead: (Wanted & { task: OpenTask; overdue: NodeJS.Timeout }) | undefined;
  let hasEnded = false;
  /** Returns the process that has the key already. */
  const takeAhead = (wanted: Wanted | undefined): OpenTask | undefined => {
    if (!ahead || ahead.wallet !== wanted?.wallet || ahead.use !== wanted.use) return undefined;
    clearTimeout(ahead.overdue);
    const { task } = ahead;
    ahead = undefined;
    return task;
  };
  const dropAhead = (): void => takeAhead(ahead)?.end();
  const perform = async (task: Extract<KeyTask, { kind: 'call' }>): Promise<string> => {
    if (hasEnded) throw new Error('the run has ended');
    const wanted = wantedBy(task);
    first ??= wanted;
    const process = takeAhead(wanted) ?? open();
    opened.add(process);
    process.send({ type: 'task', group, task });
    return process.result.finally(() => opened.delete(process));
  };
  return {
    call: (operation: Exclude<KeyOperation, ThresholdOperation>, args: unknown): Promise<string> =>
      new Promise((resolve, reject) => {
        inTurn(() => perform({ kind: 'call', run, operation, args }).then(resolve, reject));
      }),
    /** Lets a process get the key of a wallet, because the run probably needs it. The process waits a second for the call. Call once. */
    askAhead(wanted: Wanted): void {
      const task = open();
      task.send({ type: 'ahead', group, run, ...wanted });
      ahead = { ...wanted, task, overdue: setTimeout(dropAhead, AHEAD_LIFETIME_MS) };
    },
    /** Ends the processes. Returns the wallet that the run asked for first. */
    end(): Wanted | undefined {
      hasEnded = true;
      dropAhead();
      for (const process of opened) process.end();
      return first;
    },
  };
}

/** Returns the wallet of a call. Wrong arguments name none. */
function wantedBy({ operation, args }: Extract<KeyTask, { kind: 'call' }>): Wanted | undefined {
  const { pkpId } = (args ?? {}) as { pkpId?: unknown };
  if (typeof pkpId !== 'string' || !isAddress(pkpId, { strict: false })) return undefined;
  const wallet = getAddress(pkpId.toLowerCase());
  return { wallet, use: operation === 'getPrivateKey' ? 'export' : 'inside' };
}

/** Returns the wallet of the parameter `pkpId`. Does not parse the JSON: parameters can be long, and a wrong wallet does no harm. */
function walletIn(params: string): Address | undefined {
  const [, address] = /"pkpId"\s*:\s*"(0x[0-9a-fA-F]{40})"/.exec(params) ?? [];
  return address === undefined ? undefined : getAddress(address.toLowerCase());
}
