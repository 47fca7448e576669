/** Wallet login: the wallet signs an EIP-4361 message that this service has built. */

import { randomBytes } from 'node:crypto';
import { recoverSigner, signatureBytes } from '@latchkey/protocol';
import { and, eq, gt, sql } from 'drizzle-orm';
import { type Address, bytesToHex, encodeFunctionData, type Hex, hashMessage, padHex, parseAbi } from 'viem';
import { createSiweMessage, parseSiweMessage } from 'viem/siwe';
import type { Database } from '../db/database.ts';
import { loginNonces } from '../db/schema.ts';
import { type ChainNodes, openChainRpc } from '../sources/chain-failover.ts';
import { hashToken } from './secrets.ts';

const MESSAGE_SEC = 300;
/** Clock skew allowed between replicas. */
const CLOCK_SKEW_SEC = 30;
const erc1271 = parseAbi(['function isValidSignature(bytes32, bytes) view returns (bytes4)']);
const ERC1271_GAS = 1_000_000n;
const ERC1271_MAGIC = padHex('0x1626ba7e', { dir: 'right', size: 32 });
const RPC_TIMEOUT_MS = 5_000;

/** The login is refused. Clients get the same message for every reason. */
export class WalletLoginError extends Error {
  override readonly name = 'WalletLoginError';
}

/** The RPC nodes of the service chain do not answer, or contradict each other. */
export class ServiceChainUnavailableError extends Error {
  override readonly name = 'ServiceChainUnavailableError';
}

/** `requester` is a secret of the client. A message is valid once, for five minutes, with the secret that asked for it. */
export type WalletLogin = {
  /** Resolves to the message for `wallet` to sign. Rejects with `ServiceChainUnavailableError`. */
  createMessage: (requester: string, wallet: Address) => Promise<string>;
  /** Resolves to the wallet that signed. Rejects with `WalletLoginError` or `ServiceChainUnavailableError`. */
  verify: (requester: string, signed: { message: string; signature: string }) => Promise<Address>;
  close: () => void;
};

export type WalletLoginOptions = {
  db: Database;
  rpcUrls: readonly string[];
  /** URL of the pages on which the wallet signs. */
  publicUrl: () => string;
  /** Clock for `Issued At`. */
  nowMs?: () => number;
};

type Variable = { address: Address; nonce: string; issuedAt: Date };

export function createWalletLogin(options: WalletLoginOptions): WalletLogin {
  const { db, rpcUrls, publicUrl, nowMs = Date.now } = options;
  let opened: ChainNodes | undefined;
  const rpc = (): ChainNodes => {
    opened ??= openChainRpc(rpcUrls, { timeoutMs: RPC_TIMEOUT_MS });
    return opened;
  };
  let knownChainId: number | undefined;
  const chainId = async (): Promise<number> => {
    knownChainId ??= await rpc().chainId().catch(unavailable);
    return knownChainId;
  };

  const buildMessage = async ({ address, nonce, issuedAt }: Variable): Promise<string> => {
    const { host, origin } = new URL(publicUrl());
    return createSiweMessage({
      address,
      nonce,
      issuedAt,
      expirationTime: new Date(issuedAt.getTime() + MESSAGE_SEC * 1_000),
      chainId: await chainId(),
      domain: host,
      uri: `${origin}/login`,
      version: '1',
      statement: 'Log in to the trigger service.',
    });
  };

  return {
    async createMessage(requester, address) {
      const nonce = randomBytes(16).toString('hex');
      const message = await buildMessage({ address, nonce, issuedAt: new Date(nowMs()) });
      await db.insert(loginNonces).values({
        nonce,
        browser: hashToken(requester),
        expiresAt: sql`now() + make_interval(secs => ${MESSAGE_SEC})`,
      });
      return message;
    },
    async verify(requester, { message, signature }) {
      const bytes = signatureBytes(signature);
      if (!bytes) throw new WalletLoginError('malformed signature');
      const variable = readVariable(message);
      // The parser ignores unknown text. Building the message again from its values rejects any additional text.
      if (!variable || (await buildMessage(variable)) !== message)
        throw new WalletLoginError('message was not issued by this service');
      const ageSec = (nowMs() - variable.issuedAt.getTime()) / 1_000;
      if (ageSec < -CLOCK_SKEW_SEC || ageSec >= MESSAGE_SEC) throw new WalletLoginError('message expired');
      if (!(await useNonce(db, variable.nonce, requester)))
        throw new WalletLoginError('nonce is unknown, used, expired or from another requester');
      const digest = hashMessage(message);
      if (recoverSigner(digest, bytes) === variable.address) return variable.address;
      if (await isContractSignature(rpc(), variable.address, digest, bytes)) return variable.address;
      throw new WalletLoginError('signature is not from this wallet');
    },
    close: () => opened?.close(),
  };
}

/** Parses the variable fields of a message. Returns undefined when one is missing. */
function readVariable(message: string): Variable | undefined {
  const { address, nonce, issuedAt } = parseSiweMessage(message);
  const isWhole = address && nonce && issuedAt && !Number.isNaN(issuedAt.getTime());
  return isWhole ? { address, nonce, issuedAt } : undefined;
}

/** Deletes the nonce atomically: of concurrent requests with one nonce, only one succeeds. An invalid signature uses it up too. */
async function useNonce(db: Database, nonce: string, requester: string): Promise<boolean> {
  const used = await db
    .delete(loginNonces)
    .where(
      and(
        eq(loginNonces.nonce, nonce),
        eq(loginNonces.browser, hashToken(requester)),
        gt(loginNonces.expiresAt, sql`now()`),
      ),
    )
    .returning({ nonce: loginNonces.nonce });
  return used.length > 0;
}

/**
 * Asks the contract wallet (ERC-1271). Only the first word of the answer counts. An address without code returns no data. Two of three nodes must say
 * yes: one alone could log in a stranger as any wallet.
 */
async function isContractSignature(
  rpc: Pick<ChainNodes, 'call'>,
  to: Address,
  digest: Hex,
  bytes: Uint8Array,
): Promise<boolean> {
  const data = encodeFunctionData({
    abi: erc1271,
    functionName: 'isValidSignature',
    args: [digest, bytesToHex(bytes)],
  });
  const answer = await rpc.call({ to, data, gas: ERC1271_GAS }).catch(unavailable);
  return answer?.slice(0, ERC1271_MAGIC.length) === ERC1271_MAGIC;
}

function unavailable(cause: unknown): never {
  throw new ServiceChainUnavailableError('The RPC node of the service chain does not answer.', { cause });
}
