/** Writes that the wallet signs and the relayer submits. */
import { buildSignedWrites, walletIdentity } from '@latchkey/protocol';
import {
  type Address,
  bytesToHex,
  type Hash,
  type Hex,
  slice,
  type TransactionReceipt,
  zeroAddress,
} from 'viem';
import { signTypedData, waitForTransactionReceipt } from 'viem/actions';
import type { ChainSecuredBareClient, Contract } from './bare-client.ts';
import { onChain } from './contract.ts';
import type { Deadline } from './deadline.ts';
import { prices } from './generated/prices.ts';
import { post } from './http.ts';
import { signedNonce, word } from './values.ts';
import { isOpening } from './write-definition.ts';

/** How long the relayer can submit signed writes. */
const SIGNATURE_SECONDS = 600n;

export const priceOf = (calls: readonly Hex[]): bigint =>
  isOpening(calls) ? 0n : (prices['/core/v1/submit_signed_write']?.micros ?? 0n) * BigInt(calls.length);
export const typeOfSignature = (calls: readonly Hex[]): string =>
  buildSignedWrites({
    chainId: 0,
    contractAddress: zeroAddress,
    signer: zeroAddress,
    nonce: 0n,
    deadline: 0n,
    calls,
  }).primaryType;

/** The account as the calls name it: their first argument. An account that is opened has the identity of the wallet. */
const accountOf = ([first = '0x']: readonly Hex[], wallet: Address): Hex =>
  isOpening([first]) ? word(walletIdentity(wallet)) : slice(first, 4, 36);

/** Returns a nonce that no client has used: a random word of 256 nonces is unique. */
function nextNonce({ nonces }: ChainSecuredBareClient['internals']): bigint {
  if (nonces.used === 256) {
    nonces.word = BigInt(bytesToHex(crypto.getRandomValues(new Uint8Array(31)))) << 8n;
    nonces.used = 0;
  }
  return nonces.word + BigInt(nonces.used++);
}

/** Has the wallet sign the writes, and the relayer submit them. Resolves to the receipt. */
export async function submitSigned(
  client: ChainSecuredBareClient,
  calls: readonly Hex[],
  { address: contractAddress, chainId }: Contract,
  { deadline, idempotencyKey }: { deadline: Deadline; idempotencyKey: string | undefined },
): Promise<TransactionReceipt> {
  const { reader, wallet } = client.internals;
  const nonce = idempotencyKey === undefined ? nextNonce(client.internals) : signedNonce(idempotencyKey);
  const signer = wallet.account.address;
  const validUntil = BigInt(Math.floor(Date.now() / 1_000)) + SIGNATURE_SECONDS;
  const typedData = buildSignedWrites({
    chainId,
    contractAddress,
    calls,
    signer,
    nonce,
    deadline: validUntil,
  });
  const signature = await onChain(
    () => signTypedData(wallet, { account: wallet.account, ...typedData } as never),
    deadline,
  );
  const { json } = await post(client, '/core/v1/submit_signed_write', {
    body: {
      api_key_hash: accountOf(calls, signer),
      signer,
      calls: [...calls],
      nonce: word(nonce),
      deadline: String(validUntil),
      signature,
    },
    deadline,
  });
  const hash = json.transaction_hash as Hash;
  const timeout = Math.max(0, deadline.endsAtMs - performance.now()) + 1_000;
  return onChain(() => waitForTransactionReceipt(reader, { hash, timeout }), deadline, {
    transactionHash: hash,
  });
}
