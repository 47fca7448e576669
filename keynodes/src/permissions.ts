/** Asks the contract for what a request may evaluate, at the latest block of this node's own endpoint. */
import { GROUP_CONFIGURATION, type KeyPurpose, KeyRequestError } from '@latchkey/key-protocol';
import { cidHash } from '@latchkey/protocol';
import type { KeyRequest as Evaluation } from '@latchkey/threshold';
import { LRUCache } from 'lru-cache';
import type { Address } from 'viem';
import { askChain, type Contract } from './contract.ts';
import type { Head } from './heads.ts';

/** A key that expires, and a removal whose block is not announced, count after this time. */
const LIFETIME_MS = 1_000;
/** An older answer is still given, and asked for again meanwhile: a key in steady use does not wait for the chain. */
const RENEW_MS = 500;
const MAX_KEPT = 10_000;

export type Permission = {
  /** Number of the block of the answer. */
  block: bigint;
  /** Canonical text of the published parameters of the group. */
  published: string;
  /** The evaluation that is permitted, or the refusal. */
  evaluation: Evaluation | KeyRequestError;
};

/** Rejects with a 503 when the chain does not answer. A kept answer is not older than `minBlock`; a new one can be. */
export type Permissions = (purpose: KeyPurpose, minBlock: bigint) => Promise<Permission>;

export type PermissionsOptions = {
  contract: Contract;
  /** Returns the last announced block, undefined when blocks are not announced: then every request is a question to the chain. */
  head: () => Head | undefined;
};

type Kept = Permission & { head: Head; askedAtMs: number; isBeingRenewed?: true };

/** Permissions for runs are kept until the chain announces its next block. */
export function createPermissions({ contract, head }: PermissionsOptions): Permissions {
  const kept = new LRUCache<string, Kept>({ max: MAX_KEPT });
  const askAndKeep = async (name: string, purpose: KeyPurpose): Promise<Permission> => {
    const latest = head();
    const askedAtMs = performance.now();
    const permission = await askChain(ask(contract, purpose));
    const isForRun = purpose.kind === 'wallet' || purpose.kind === 'action';
    const isPermitted = !(permission.evaluation instanceof KeyRequestError);
    // An endpoint can announce a block before it answers at it.
    if (latest && isForRun && isPermitted && permission.block >= latest.number)
      kept.set(name, { ...permission, head: latest, askedAtMs });
    else kept.delete(name);
    return permission;
  };
  return async (purpose, minBlock) => {
    const name = JSON.stringify(purpose);
    const known = kept.get(name);
    const ageMs = known ? performance.now() - known.askedAtMs : 0;
    if (!known || known.head !== head() || known.block < minBlock || ageMs >= LIFETIME_MS)
      return askAndKeep(name, purpose);
    if (ageMs >= RENEW_MS && !known.isBeingRenewed) {
      known.isBeingRenewed = true;
      // The next request asks for itself.
      askAndKeep(name, purpose).catch(() => kept.delete(name));
    }
    return known;
  };
}

async function ask(contract: Contract, purpose: KeyPurpose): Promise<Permission> {
  const [published, block, evaluation] = await Promise.all([
    contract.read.nodeConfigurationValue([GROUP_CONFIGURATION]),
    contract.blockNumber(),
    permittedEvaluation(contract, purpose).catch((refusal: unknown) => {
      if (refusal instanceof KeyRequestError) return refusal;
      throw refusal;
    }),
  ]);
  return { block, published, evaluation };
}

/** Returns what the contract permits to evaluate for the purpose. Rejects with a KeyRequestError otherwise. */
async function permittedEvaluation(contract: Contract, purpose: KeyPurpose): Promise<Evaluation> {
  switch (purpose.kind) {
    case 'wallet': {
      const key = BigInt(purpose.usageKeyHash);
      const wallet = purpose.wallet as Address;
      const [isPermitted, path] = await Promise.all([
        contract.read.canUseWalletInAction([key, cidHash(purpose.cid), wallet]),
        contract.read.getWalletDerivation([key, wallet]),
      ]);
      if (!isPermitted) throw new KeyRequestError('the usage key may not use the wallet in this action');
      if (path === 0n) throw new KeyRequestError('the wallet is not registered');
      return { kind: 'wallet', path };
    }
    case 'action': {
      const key = BigInt(purpose.usageKeyHash);
      if (!(await contract.read.canExecuteAction([key, cidHash(purpose.cid)])))
        throw new KeyRequestError('the usage key may not run the action');
      return { kind: 'action', cid: purpose.ofCid };
    }
    case 'mint-wallet':
    case 'mint-usage-key': {
      const path = BigInt(purpose.path);
      if (path === 0n || (await contract.read.isPathRegistered([path])))
        throw new KeyRequestError('an account has registered the path');
      return { kind: purpose.kind === 'mint-wallet' ? 'wallet' : 'usage-key', path };
    }
  }
}
