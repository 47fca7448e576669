/** Asks the contract for what a request may evaluate, at one block that the node's own endpoints have. */

import type { Head, Heads } from '@latchkey/chain/heads';
import {
  GROUP_CONFIGURATION,
  type KeyPurpose,
  KeyRequestError,
  NOT_EXPORTABLE,
} from '@latchkey/key-protocol';
import { cidHash, isExportable } from '@latchkey/protocol';
import type { KeyRequest as Evaluation } from '@latchkey/threshold';
import { LRUCache } from 'lru-cache';
import type { Address } from 'viem';
import { type Block, staleness } from './blocks.ts';
import { askChain, type Views } from './contract.ts';
import type { Decide } from './decisions.ts';

const MAX_KEPT = 10_000;

type Permission = {
  /** Number of the block of the answer. */
  block: bigint;
  /** Canonical text of the published parameters of the group. */
  published: string;
  /** The evaluation that is permitted, null for a purpose without one, or the refusal. */
  evaluation: Evaluation | null | KeyRequestError;
};

/** Rejects with a 503 when the chain does not answer, or is behind. A kept answer is not older than `minBlock`; a new one can be. */
export type Permissions = (purpose: KeyPurpose, minBlock: bigint) => Promise<Permission>;

export type PermissionsOptions = {
  decide: Decide;
  /** Undefined when blocks are not announced: then every request asks the chain. */
  heads: Pick<Heads, 'current' | 'confirmed'> | undefined;
  /** Maximum age of the block of a kept answer in seconds; 0 means no limit. */
  maxAgeSec: number;
};

type Answer = Omit<Permission, 'block'> & {
  /** Unix time in seconds at which the usage key expires, 0 for never. Used for runs only. */
  expiration: bigint;
};
type Kept = Permission & { head: Head; at: Block; expiration: bigint };

/** Permissions for runs are kept until the chain announces its next block, their block is too old, or the usage key expires. */
export function createPermissions({ decide, heads, maxAgeSec }: PermissionsOptions): Permissions {
  const kept = new LRUCache<string, Kept>({ max: MAX_KEPT });
  const askAndKeep = async (name: string, purpose: Asked, minBlock: bigint): Promise<Permission> => {
    const head = heads?.current();
    const { block: at, value } = await askChain(decide((views) => ask(views, purpose), minBlock));
    const answer = { ...value, block: at.number };
    const isForRun = 'usageKeyHash' in purpose;
    const isPermitted = !(answer.evaluation instanceof KeyRequestError);
    // The head from before the question: a later head can be the block that changed the answer.
    if (isForRun && isPermitted && at.hash === head?.hash) kept.set(name, { ...answer, head, at });
    else kept.delete(name);
    return answer;
  };
  const isValid = ({ head, at, block, expiration }: Kept, minBlock: bigint): boolean =>
    head === heads?.confirmed() && block >= minBlock && !staleness(at, maxAgeSec) && !hasExpired(expiration);
  return async (wanted, minBlock) => {
    const purpose = askedFor(wanted);
    const name = JSON.stringify(purpose);
    const known = kept.get(name);
    return known && isValid(known, minBlock) ? known : askAndKeep(name, purpose, minBlock);
  };
}

/** A wallet may sign when its key may be used inside an action: one question and one kept answer for both. */
type Asked = Exclude<KeyPurpose, { kind: 'sign' }>;
function askedFor(purpose: KeyPurpose): Asked {
  if (purpose.kind !== 'sign') return purpose;
  const { usageKeyHash, cid, wallet } = purpose;
  return { kind: 'wallet', usageKeyHash, cid, wallet, use: 'inside' };
}

const hasExpired = (expiration: bigint): boolean =>
  expiration !== 0n && Date.now() >= Number(expiration) * 1_000;

async function ask(views: Views, purpose: Asked): Promise<Answer> {
  const [published, evaluation, expiration] = await Promise.all([
    views.nodeConfigurationValue([GROUP_CONFIGURATION]),
    permittedEvaluation(views, purpose).catch((refusal: unknown) => {
      if (refusal instanceof KeyRequestError) return refusal;
      throw refusal;
    }),
    'usageKeyHash' in purpose ? readExpiration(views, BigInt(purpose.usageKeyHash)) : 0n,
  ]);
  return { published, evaluation, expiration };
}

/** Returns 1 (long expired) when the contract gives no expiration, as for an unknown key, so that the answer is not kept. */
const readExpiration = (views: Views, key: bigint): Promise<bigint> =>
  views.resolve([key]).then(
    ([, , , , expiration]) => expiration,
    () => 1n,
  );

/** Returns what the contract permits to evaluate for the purpose. Rejects with a KeyRequestError otherwise. */
async function permittedEvaluation(views: Views, purpose: Asked): Promise<Evaluation | null> {
  switch (purpose.kind) {
    // Always permitted: nonces are of no use without a message.
    case 'nonces':
      return null;
    case 'wallet': {
      const key = BigInt(purpose.usageKeyHash);
      const wallet = purpose.wallet as Address;
      const [isPermitted, path] = await Promise.all([
        views.canUseWalletInAction([key, cidHash(purpose.cid), wallet]),
        views.getWalletDerivation([key, wallet]),
      ]);
      if (!isPermitted)
        throw new KeyRequestError(
          'the usage key may not use the wallet in this action: permit both in a group of the key',
        );
      if (path === 0n) throw new KeyRequestError('the wallet is not registered');
      if (purpose.use === 'export' && !isExportable(path)) throw new KeyRequestError(NOT_EXPORTABLE);
      return { kind: 'wallet', path };
    }
    case 'action':
    case 'action-public-key': {
      const key = BigInt(purpose.usageKeyHash);
      if (!(await views.canExecuteAction([key, cidHash(purpose.cid)])))
        throw new KeyRequestError('the usage key may not run the action');
      const { kind, cid } = purpose;
      return kind === 'action' ? { kind, cid } : { kind, cid, publicKey: purpose.publicKey };
    }
    case 'wallet-address':
    case 'mint-wallet':
    case 'mint-usage-key': {
      const path = BigInt(purpose.path);
      if (path === 0n || (await views.isPathRegistered([path])))
        throw new KeyRequestError('an account has registered the path');
      if (purpose.kind === 'wallet-address') return { kind: purpose.kind, path, address: purpose.address };
      return { kind: purpose.kind === 'mint-wallet' ? 'wallet' : 'usage-key', path };
    }
  }
}
