/** Requests for keys of wallets, by anyone who has these identities. */
import {
  cosign,
  createRecipient,
  createStatement,
  type Identity,
  type KeyPurpose,
  signStatement,
} from '@latchkey/key-protocol';
import {
  combine,
  decodeGroupParameters,
  deriveWalletKeys,
  encodeInput,
  type PartialEvaluation,
  verifyPartial,
} from '@latchkey/threshold';
import { type Address, bytesToHex, type Hex, numberToHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { HeldShare } from '../src/node-store.ts';
import { outputOf } from './key-nodes.ts';

export type Parties = { runner: Identity; relayer: Identity };
type Answer = { partial: string; identifier: number; path: string | null };
/** A proven partial evaluation for the wallet at a path. */
export type Part = { path: bigint; partial: PartialEvaluation };

export type Question = {
  /** The request that every node gets. */
  body: string;
  /** Asks a node. Resolves to undefined when it refuses, and rejects when its answer does not hold. */
  ask: (node: { url: string }, signal?: AbortSignal) => Promise<Part | undefined>;
};

/** @param published Text of the parameters of the group. */
export async function prepareQuestion(
  published: string,
  purpose: KeyPurpose,
  { runner, relayer }: Parties,
): Promise<Question> {
  const parameters = decodeGroupParameters(published);
  const recipient = await createRecipient();
  const fields = { purpose, withProof: true, recipient: recipient.publicKey };
  const statement = createStatement({ group: parameters.groupPublicKey, ...fields }, Date.now());
  const body = JSON.stringify(cosign(signStatement(statement, runner), 0, relayer));
  return {
    body,
    async ask({ url }, signal) {
      const headers = { 'Content-Type': 'application/json' };
      const reply = await fetch(`${url}/v1/release`, {
        method: 'POST',
        headers,
        body,
        ...(signal && { signal }),
      });
      if (!reply.ok) return void (await reply.body?.cancel());
      const { partial, identifier, path } = (await reply.json()) as Answer;
      const opened = await recipient.open(partial, statement.id, identifier);
      const input = inputOf(BigInt(path ?? 0));
      return { path: BigInt(path ?? 0), partial: verifyPartial(parameters, identifier, input, opened) };
    },
  };
}

/** Combines the first t parts of one path and of different nodes. Returns the signing key, undefined when they are too few. */
export function signingKeyOf(published: string, parts: readonly Part[]): Hex | undefined {
  const parameters = decodeGroupParameters(published);
  for (const { path } of parts) {
    const ofPath = parts.filter((part) => part.path === path);
    const byNode = new Map(ofPath.map(({ partial }) => [partial.identifier, partial]));
    if (byNode.size < parameters.threshold) continue;
    const output = combine(parameters, inputOf(path), [...byNode.values()].slice(0, parameters.threshold));
    return bytesToHex(deriveWalletKeys(output).signingKey);
  }
  return undefined;
}

const inputOf = (path: bigint): Uint8Array => encodeInput({ kind: 'wallet', path });

/** Derives the wallet at a path from these shares. */
export function walletOf(shares: HeldShare[], path: bigint): Address {
  const output = Buffer.from(outputOf(shares, inputOf(path)), 'hex');
  return privateKeyToAddress(bytesToHex(deriveWalletKeys(output).signingKey));
}

export const walletPurpose = (
  usageKey: bigint,
  cid: string,
  wallet: Address,
  use: 'inside' | 'export' = 'inside',
): KeyPurpose => ({
  kind: 'wallet',
  cid,
  usageKeyHash: numberToHex(usageKey),
  wallet: wallet.toLowerCase(),
  use,
});
