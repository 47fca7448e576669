/**
 * Messages between the runner and a key process, as lines of JSON over the standard input and output of the process. The process
 * is trusted, and the runner holds nothing of value: answers of nodes are encrypted to the process, and a private key leaves it
 * encrypted to the action.
 */
import type { KeyStatement, WalletUse } from '@latchkey/key-protocol';
import type { KeyOperation } from '@latchkey/runner-protocol';
import type { ThresholdOperation } from '@latchkey/runner-protocol/threshold-operation';
import type { GroupParameters } from '@latchkey/threshold';
import type { Answer, RunOfKeys } from './releases.ts';

export type MintPurpose = {
  kind: 'mint-wallet' | 'mint-usage-key';
  path: string;
  /** Returns the public key of the wallet too. */
  withPublicKey?: boolean | undefined;
};

/** A task of a key process, which ends with it. */
export type KeyTask =
  | { kind: 'call'; run: RunOfKeys; operation: Exclude<KeyOperation, ThresholdOperation>; args: unknown }
  | { kind: 'mint'; purpose: MintPurpose }
  | { kind: 'certify'; run: RunOfKeys };

export type ToKeyProcess =
  /** Gets the key of a wallet before the `task` that needs it. */
  | { type: 'ahead'; group: string; run: RunOfKeys; wallet: string; use: WalletUse }
  | { type: 'task'; group: string; task: KeyTask }
  /** The runner has decoded the parameters of the answer, which are public: it knows them from the answer before. */
  | { type: 'answer'; ask: number; answer: Answer; parameters: GroupParameters }
  | { type: 'end'; ask: number; reason: { isRefused: boolean; message: string } }
  | { type: 'public key'; publicKey: string }
  | { type: 'no public key'; name: string; message: string };

export type FromKeyProcess =
  | { type: 'ready' }
  /** Asks the nodes. `done` ends it. */
  | { type: 'ask'; ask: number; statement: KeyStatement }
  | { type: 'done'; ask: number; isMissing: boolean }
  | { type: 'wrong answer'; node: number; reason: string }
  /** Asks for the public key of another action. */
  | { type: 'public key'; cid: string }
  | { type: 'result'; value: string }
  | { type: 'failed'; kind: 'action' | 'not released' | 'error'; name: string; message: string };
