/** Login with a wallet: a signed EIP-4361 message of this service's own making. */
import { randomBytes } from 'node:crypto';
import { recoverSigner, signatureBytes } from '@latchkey/protocol';
import { and, eq, gt, sql } from 'drizzle-orm';
import {
  type Address,
  BaseError,
  bytesToHex,
  type Client,
  createClient,
  encodeFunctionData,
  type Hex,
  hashMessage,
  http,
  LimitExceededRpcError,
  numberToHex,
  padHex,
  parseAbi,
  RpcRequestError,
  webSocket,
} from 'viem';
import { createSiweMessage, parseSiweMessage } from 'viem/siwe';
import type { Database } from '../db/database.ts';
import { loginNonces } from '../db/schema.ts';
import { tokenHashOf } from './secrets.ts';

const MESSAGE_SEC = 300;
/** How much the clock of the replica that made a message may be ahead. */
const CLOCK_SKEW_SEC = 30;
const erc1271 = parseAbi(['function isValidSignature(bytes32, bytes) view returns (bytes4)']);
const ERC1271_GAS = 1_000_000n;
const ERC1271_MAGIC = padHex('0x1626ba7e', { dir: 'right', size: 32 });
const RPC_TIMEOUT_MS = 5_000;

/** A login that is refused; callers get one message for all reasons. */
export class WalletLoginError extends Error {
  override readonly name = 'WalletLoginError';
}

/** The node of the service chain does not answer. */
export class ServiceChainUnavailableError extends Error {
  override readonly name = 'ServiceChainUnavailableError';
}

/** `browser` is the value of the browser's cookie: a message works for the browser that asked for it, once, for five minutes. */
export type WalletLogin = {
  /** What `wallet` is to sign. Throws `ServiceChainUnavailableError`. */
  messageFor: (browser: string, wallet: Address) => Promise<string>;
  /** The wallet that signed. Throws `WalletLoginError` or `ServiceChainUnavailableError`. */
  verify: (browser: string, signed: { message: string; signature: string }) => Promise<Address>;
  close: () => Promise<void>;
};

export type WalletLoginOptions = {
  db: Database;
  rpcUrl: string;
  publicUrl: () => string;
  /** The clock of issued-at. */
  nowMs?: () => number;
};

type Variable = { address: Address; nonce: string; issuedAt: Date };

export function createWalletLogin({
  db,
  rpcUrl,
  publicUrl,
  nowMs = Date.now,
}: WalletLoginOptions): WalletLogin {
  const connect = rpcUrl.startsWith('ws') ? webSocket : http;
  let connected: Client | undefined;
  const client = (): Client => {
    connected ??= createClient({ transport: connect(rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 0 }) });
    return connected;
  };
  let knownChainId: number | undefined;
  const chainId = async (): Promise<number> => {
    knownChainId ??= Number(await client().request({ method: 'eth_chainId' }).catch(unavailable));
    return knownChainId;
  };

  const messageOf = async ({ address, nonce, issuedAt }: Variable): Promise<string> => {
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
    async messageFor(browser, address) {
      const nonce = randomBytes(16).toString('hex');
      const message = await messageOf({ address, nonce, issuedAt: new Date(nowMs()) });
      await db.insert(loginNonces).values({
        nonce,
        browser: tokenHashOf(browser),
        expiresAt: sql`now() + make_interval(secs => ${MESSAGE_SEC})`,
      });
      return message;
    },
    async verify(browser, { message, signature }) {
      const bytes = signatureBytes(signature);
      if (!bytes) throw new WalletLoginError('the signature is malformed');
      const variable = variableOf(message);
      // The parser skips what it does not know; only a text that is made anew from its values says nothing else.
      if (!variable || (await messageOf(variable)) !== message)
        throw new WalletLoginError('not a message of this service');
      const ageSec = (nowMs() - variable.issuedAt.getTime()) / 1_000;
      if (ageSec < -CLOCK_SKEW_SEC || ageSec >= MESSAGE_SEC) throw new WalletLoginError('expired');
      if (!(await useNonce(db, variable.nonce, browser)))
        throw new WalletLoginError('the nonce is unknown, used, expired or of another browser');
      const digest = hashMessage(message);
      if (recoverSigner(digest, bytes) === variable.address) return variable.address;
      if (await isContractSignature(client(), variable.address, digest, bytes)) return variable.address;
      throw new WalletLoginError('not signed by this wallet');
    },
    async close() {
      const { getRpcClient } = (connected?.transport ?? {}) as {
        getRpcClient?: () => Promise<{ close: () => void }>;
      };
      await getRpcClient?.().then(
        (socket) => socket.close(),
        () => {},
      );
    },
  };
}

/** What differs from message to message; undefined for a text without it. */
function variableOf(message: string): Variable | undefined {
  const { address, nonce, issuedAt } = parseSiweMessage(message);
  const isWhole = address && nonce && issuedAt && !Number.isNaN(issuedAt.getTime());
  return isWhole ? { address, nonce, issuedAt } : undefined;
}

/** One delete, so that of many requests with one nonce a single one gets on, whatever its signature is worth. */
async function useNonce(db: Database, nonce: string, browser: string): Promise<boolean> {
  const used = await db
    .delete(loginNonces)
    .where(
      and(
        eq(loginNonces.nonce, nonce),
        eq(loginNonces.browser, tokenHashOf(browser)),
        gt(loginNonces.expiresAt, sql`now()`),
      ),
    )
    .returning({ nonce: loginNonces.nonce });
  return used.length > 0;
}

/** ERC-1271: only the first word of the answer counts, and an address without code answers none. */
async function isContractSignature(
  client: Client,
  to: Address,
  digest: Hex,
  bytes: Uint8Array,
): Promise<boolean> {
  const data = encodeFunctionData({
    abi: erc1271,
    functionName: 'isValidSignature',
    args: [digest, bytesToHex(bytes)],
  });
  const answer = await client
    .request({ method: 'eth_call', params: [{ to, data, gas: numberToHex(ERC1271_GAS) }, 'latest'] })
    .catch((error: unknown) => (isRefusal(error) ? '0x' : unavailable(error)));
  return answer.slice(0, ERC1271_MAGIC.length) === ERC1271_MAGIC;
}

/** True when the node answered that the call fails: it reverts, or takes more gas than it may. */
const isRefusal = (error: unknown): boolean =>
  error instanceof BaseError &&
  !(error instanceof LimitExceededRpcError) &&
  error.walk((cause) => cause instanceof RpcRequestError) !== null;

function unavailable(cause: unknown): never {
  throw new ServiceChainUnavailableError('the service chain does not answer', { cause });
}
