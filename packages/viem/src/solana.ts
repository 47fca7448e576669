import type { Address, MessagePartialSigner, SignatureBytes, TransactionPartialSigner } from '@solana/kit';
import { base58btc } from 'multiformats/bases/base58';
import { bytesToHex, type Hex, hexToBytes, isHex, size } from 'viem';
import { CODES, WalletRequestError } from './errors.ts';
import { runRequest, type WalletParameters } from './run-request.ts';

/** Signs messages and transactions of Solana with the Ed25519 key of a wallet. */
export type LatchkeySolanaSigner = MessagePartialSigner &
  TransactionPartialSigner & {
    /** Signs the bytes of a message or of a transaction. Resolves to 64 bytes. */
    sign: (bytes: Uint8Array) => Promise<Uint8Array>;
  };

function readHex(value: unknown, length: number): Uint8Array {
  if (isHex(value) && size(value) === length) return hexToBytes(value as Hex);
  throw new WalletRequestError(CODES.failed, `The action did not return ${length} bytes in hex.`);
}

/**
 * Returns a Solana signer with the Ed25519 key of the wallet. Resolves after a run that reads the public key. Policies do not have
 * its requests: the action is the standard one, or one of your own.
 */
export async function toSolanaSigner(parameters: WalletParameters): Promise<LatchkeySolanaSigner> {
  const keyType = 'ed25519';
  const { publicKey } = await runRequest(parameters, { kind: 'public_key', keyType });
  const address = base58btc.baseEncode(readHex(publicKey, 32)) as Address;

  async function sign(bytes: Uint8Array): Promise<Uint8Array> {
    const request = { kind: 'bytes', keyType, message: bytesToHex(bytes) };
    return readHex((await runRequest(parameters, request)).signature, 64);
  }
  const signEach = (contents: readonly Uint8Array[]) =>
    Promise.all(contents.map(async (bytes) => ({ [address]: (await sign(bytes)) as SignatureBytes })));

  return {
    address,
    sign,
    signMessages: (messages) => signEach(messages.map(({ content }) => content)),
    signTransactions: (transactions) =>
      signEach(transactions.map(({ messageBytes }) => messageBytes as never)),
  };
}
