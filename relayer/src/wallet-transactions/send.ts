/** Sends what actions ask for. */
import { createHash } from 'node:crypto';
import { ChainUnavailableError } from '@latchkey/chain/errors';
import { PendingLimitError, UnsignedError, WalletCallError, type WalletOutbox } from '@latchkey/outbox';
import { TurnRefusedError } from '@latchkey/service/turns';
import { getAddress, type Hex, size } from 'viem';
import type { WalletChains } from './chains.ts';
import { type SendWalletTransaction, type WalletTransaction, WalletTransactionError } from './types.ts';

/** Enough for the largest contract that a chain takes. */
const MAX_DATA_BYTES = 65_536;
const MAX_KEY_LENGTH = 256;
/** The highest number that the database stores. */
const MAX_BIGINT = 2n ** 63n - 1n;
const MAX_VALUE = 2n ** 256n - 1n;

type Sending = {
  chains: WalletChains;
  outboxes: ReadonlyMap<number, Pick<WalletOutbox, 'send'>>;
  /** Time until the transaction has its turn. */
  timeoutMs: number;
};

export function createSendWalletTransaction({ chains, outboxes, timeoutMs }: Sending): SendWalletTransaction {
  return async (request, sign) => {
    const { chainId } = request;
    const [chain, outbox] = [chains.get(chainId), outboxes.get(chainId)];
    if (!chain || !outbox)
      throw new WalletTransactionError(
        `this service does not serve chain ${chainId}: use one of ${[...chains.keys()].join(', ')}`,
      );
    const call = callOf(request);
    try {
      await chain.verify();
      const { id, nonce, minedHash, hashes } = await outbox.send(
        call,
        ({ nonce, gas, forms, cancel, cancelGas }) =>
          sign({ nonce, gas, forms, cancel: { ...cancel, gas: cancelGas } }),
        AbortSignal.timeout(timeoutMs),
      );
      return { id, nonce, hash: minedHash ?? (hashes.at(-1) as Hex) };
    } catch (error) {
      throw refusalOf(error, chainId);
    }
  };
}

/** Checks the request: it comes from an action. */
function callOf(request: WalletTransaction) {
  const { account, wallet, chainId, to, value, data, gas, maxFeePerGas, idempotencyKey } = request;
  if (size(data) > MAX_DATA_BYTES)
    throw new WalletTransactionError(`data has ${size(data)} bytes: at most ${MAX_DATA_BYTES} are sent`);
  if (value < 0n || value > MAX_VALUE) throw new WalletTransactionError('value must be a uint256');
  for (const [name, number] of Object.entries({ gas, maxFeePerGas }))
    if (number !== undefined && (number <= 0n || number > MAX_BIGINT))
      throw new WalletTransactionError(`${name} must be from 1 to ${MAX_BIGINT}`);
  if (to === null && data === '0x')
    throw new WalletTransactionError('a transaction without to creates a contract: data must be its code');
  if (idempotencyKey !== undefined && (idempotencyKey === '' || idempotencyKey.length > MAX_KEY_LENGTH))
    throw new WalletTransactionError(`idempotencyKey must have 1 to ${MAX_KEY_LENGTH} characters`);
  const scoped = JSON.stringify([String(account), wallet.toLowerCase(), chainId, idempotencyKey]);
  return {
    ...request,
    wallet: getAddress(wallet),
    to: to === null ? null : getAddress(to),
    data: data.toLowerCase() as Hex,
    idempotencyId:
      idempotencyKey === undefined ? undefined : createHash('sha256').update(scoped).digest('hex'),
  };
}

/** Returns the error for the author of the action. An error of the run, or an unexpected one, stays as it is. */
function refusalOf(error: unknown, chainId: number): unknown {
  const refuse = (message: string) => new WalletTransactionError(message, { cause: error });
  if (
    error instanceof WalletCallError ||
    error instanceof UnsignedError ||
    error instanceof PendingLimitError
  )
    return refuse(error.message);
  if (error instanceof TurnRefusedError)
    return refuse('the account sends too many transactions: send fewer concurrently');
  if (error instanceof ChainUnavailableError)
    return refuse(`chain ${chainId} could not be asked: send the transaction again`);
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return refuse('the transaction did not get its turn in time: send it again');
  return error;
}
