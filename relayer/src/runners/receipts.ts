/** Signs receipts of runs. */
import { createHash } from 'node:crypto';
import { buildRunReceipt, cidHash, type RunReceipt, responseText } from '@latchkey/protocol';
import type { RunResult } from '@latchkey/runner-protocol';
import { type Address, getAddress, type Hex, hashTypedData, serializeSignature } from 'viem';
import { privateKeyToAddress, sign } from 'viem/accounts';

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

export type ReceivedRun = {
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
  sign: (run: ReceivedRun) => Promise<SignedReceipt>;
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
  return {
    signer: privateKeyToAddress(privateKey),
    async sign({ runId, cid, key, params, result }) {
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
      const hash = hashTypedData(buildRunReceipt(receipt, deployment));
      const signature = serializeSignature(await sign({ hash, privateKey }));
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
