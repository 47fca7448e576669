import { type ActionSource, type BareClient, type RunActionParameters, runAction } from '@latchkey/sdk';
import { type Address, stringify } from 'viem';
import { CODES, runError, startError, WalletRequestError } from './errors.ts';
import { useWalletCode } from './generated/use-wallet.ts';

export interface WalletParameters {
  /** A client of the service. In API mode its key is the usage key. */
  client: BareClient;
  /** Address of the wallet. */
  walletAddress: Address;
  /** The usage key. Default: the key of the client. */
  usageKey?: string | undefined;
  /**
   * The action that signs and sends: the code of a policy, or its CID. Default: the standard action `use-wallet.js`, which does
   * what the caller asks.
   */
  action?: ActionSource | undefined;
}

/** Fields of a reply, by the kind of the request. */
export type Reply = { signature?: unknown; transaction?: unknown; publicKey?: unknown; hash?: unknown };

/** Runs the action with a request in the form of policies. Amounts become text. Rejects with a `WalletRequestError`. */
export async function runRequest(
  { client, walletAddress, usageKey, action = { code: useWalletCode } }: WalletParameters,
  request: { kind: string; [field: string]: unknown },
): Promise<Reply> {
  const jsParams = JSON.parse(stringify({ ...request, pkpId: walletAddress }));
  const parameters = { ...action, jsParams, usageKey } as RunActionParameters;
  const result = await runAction(client, parameters).catch((error: unknown) => {
    throw startError(error);
  });
  if (result.hasError) throw runError(result);
  if (typeof result.response !== 'object' || result.response === null)
    throw new WalletRequestError(CODES.failed, 'The response of the action is not an object.');
  return result.response;
}
