import { createHash } from 'node:crypto';
import { cidHash, type RunReceipt, responseText, runReceiptType } from '@latchkey/protocol';
import type { RunResult } from '@latchkey/runner-protocol';
import { addressOf, signHash } from '@latchkey/service/secp256k1';
import {
  type Address,
  concat,
  domainSeparator,
  getAddress,
  type Hex,
  hashStruct,
  hexToBytes,
  keccak256,
} from 'viem';

/** A receipt in its wire form. */
export type SignedReceipt = {
  /** The message of the typed data. Integers are decimal texts. */
  message: Record<'cidHash' | 'usageKeyHash' | 'durationMs' | 'blockNumber', string> & {
    runId: Hex;
    paramsHash: Hex;
    responseHash: Hex;
    succeeded: boolean;
    wallets: Address[];
  };
  signature: Hex;
};

type ReceivedRun = {
  runId: string;
  cid: string;
  /** Hash of the usage key. */
  key: bigint;
  /** JSON of the parameters. */
  params: string;
  result: RunResult;
};

export type Receipts = {
  signer: Address;
  sign: (run: ReceivedRun) => SignedReceipt;
  /** Signs the hash of another statement of the service. */
  signHash: (hash: Hex) => Hex;
};

export type ReceiptsOptions = {
  /** SECRET. */
  privateKey: Hex;
  chainId: number;
  contractAddress: Address;
  /** Returns the last known block. */
  head: () => bigint;
};

export function createReceipts({ privateKey, head, ...deployment }: ReceiptsOptions): Receipts {
  const { domain, ...type } = runReceiptType(deployment);
  const separator = domainSeparator({ domain });
  const secret = hexToBytes(privateKey);
  return {
    signer: addressOf(secret),
    signHash: (hash) => signHash(hash, secret),
    sign({ runId, cid, key, params, result }) {
      const { response, hasError, durationMs, usage } = result;
      const wallets = usage.keyOperations.flatMap(({ wallet }) =>
        wallet === null ? [] : [getAddress(wallet.toLowerCase())],
      );
      const receipt: RunReceipt = {
        runId: `0x${runId.replaceAll('-', '')}`,
        cidHash: cidHash(cid),
        usageKeyHash: key,
        paramsHash: textHash(params),
        responseHash: textHash(responseText(response)),
        succeeded: !hasError,
        wallets: [...new Set(wallets)],
        durationMs: BigInt(durationMs),
        blockNumber: head(),
      };
      const hash = keccak256(concat(['0x1901', separator, hashStruct({ ...type, data: receipt })]));
      const signature = signHash(hash, secret);
      const { cidHash: hashOfCid, usageKeyHash, durationMs: duration, blockNumber, ...rest } = receipt;
      const message = {
        ...rest,
        wallets: [...rest.wallets],
        cidHash: String(hashOfCid),
        usageKeyHash: String(usageKeyHash),
        durationMs: String(duration),
        blockNumber: String(blockNumber),
      };
      return { message, signature };
    },
  };
}

/** SHA-256 by OpenSSL: the relayer hashes large texts. */
const textHash = (text: string): Hex => `0x${createHash('sha256').update(text).digest('hex')}`;
