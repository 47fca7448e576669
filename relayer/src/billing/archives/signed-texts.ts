/** The texts that are signed: of closing balances, and of archives, each of which names the one before. */
import { createHash } from 'node:crypto';
import { addressOf, recoverSigner, signHash } from '@latchkey/service/secp256k1';
import { type Address, type Hex, hashMessage, hexToBytes } from 'viem';
import type { Totals } from './entries.ts';

/** The contract whose accounts the ledger has. */
export type Deployment = { chainId: number; address: Address };

/** SHA-256 as hex. */
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Signed as messages of EIP-191, which wallets and command lines can verify. */
export type Signer = { address: Address; sign: (text: string) => Hex };

/** @param privateKey - SECRET */
export function createSigner(privateKey: Hex): Signer {
  const secret = hexToBytes(privateKey);
  return { address: addressOf(secret), sign: (text) => signHash(hashMessage(text), secret) };
}

/** Returns the signer of the text; undefined when the signature is malformed. */
export const signerOf = (text: string, signature: Hex): Address | undefined =>
  recoverSigner(hashMessage(text), signature);

const lines = (title: string, { chainId, address }: Deployment, fields: object): string =>
  [
    `Latchkey ${title}`,
    ...Object.entries({ chain: chainId, contract: address, ...fields }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
  ].join('\n');

export const closingText = (
  deployment: Deployment,
  account: string,
  month: string,
  { entries, available, credited, captured, reversed }: Totals,
): string =>
  lines('closing balance', deployment, { account, month, entries, available, credited, captured, reversed });

export type ArchiveFacts = {
  month: string;
  file: string;
  /** Of the CSV in the file. */
  sha256: string;
  entries: bigint;
  accounts: number;
};

/** @param previous - Text of the archive of the month before; undefined for the first. */
export const archiveText = (
  deployment: Deployment,
  { month, file, sha256: content, entries, accounts }: ArchiveFacts,
  previous: string | undefined,
): string =>
  lines('ledger archive', deployment, {
    month,
    file,
    sha256: content,
    entries,
    accounts,
    previous: previous === undefined ? 'none' : sha256(previous),
  });
