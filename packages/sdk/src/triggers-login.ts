/** Login of people to the trigger service. */
import { signMessage } from 'viem/actions';
import { requestInternals, type Wallet } from './bare-client.ts';
import type { BareTriggersClient, TriggersParameters } from './bare-triggers-client.ts';
import { parseBaseUrl } from './base-url.ts';
import { onChain } from './contract.ts';
import { type CallOptions, createDeadline } from './deadline.ts';
import type { paths } from './generated/triggers.ts';
import { randomSecret } from './secret-text.ts';
import { type JsonOf, send } from './triggers-request.ts';

type LoginBody = JsonOf<NonNullable<paths['/api/login']['post']['requestBody']>>;
type LoginReply = JsonOf<paths['/api/login']['post']['responses'][200]>;
type MessageReply = JsonOf<paths['/api/login/message']['post']['responses'][200]>;

/** The trigger service, and either the account key or the admin wallet. */
export type TriggersLoginParameters = Omit<TriggersParameters, 'token'> &
  (
    | {
        /** Account key of a managed account. */
        accountKey: string;
        wallet?: undefined;
      }
    | {
        /** Admin wallet of a ChainSecured account, or a wallet without an account. It signs a message. */
        wallet: Wallet;
        accountKey?: undefined;
      }
  );

/** A login of a person. */
export interface TriggersLogin {
  /** Token for {@link createTriggersClient}. It can also approve and revoke agents. */
  token: string;
  /** 12 hours after the login. The login ends earlier when the account key, the admin or the mode of the account changes. */
  expiresAt: Date;
  /** Master hash of the account, or the identity of a wallet without an account. */
  account: bigint;
}

/** The message is good for five minutes. */
const SIGNATURE_MS = 300_000;

/**
 * Logs a person in to the trigger service. Rejects with `unauthorized` for a key that is not an account key, and for a wallet
 * that is not the admin of its account.
 */
export async function logInToTriggers(
  parameters: TriggersLoginParameters,
  options?: CallOptions,
): Promise<TriggersLogin> {
  const client: BareTriggersClient = {
    url: parseBaseUrl(parameters.url, 'url'),
    internals: { ...requestInternals(parameters), token: () => undefined },
  };
  const body: LoginBody =
    parameters.wallet === undefined
      ? { account_key: parameters.accountKey }
      : await signIn(client, parameters.wallet, options);
  const reply = await send<LoginReply>(client, 'POST', 'login', { body, options });
  return { token: reply.token, expiresAt: new Date(reply.expires_at), account: BigInt(reply.account) };
}

/** Requests a message and signs it. */
async function signIn(
  client: BareTriggersClient,
  wallet: Wallet,
  options: CallOptions = {},
): Promise<LoginBody> {
  const { account } = wallet;
  const secret = randomSecret();
  const { message } = await send<MessageReply>(client, 'POST', 'login/message', {
    body: { address: account.address, login_secret: secret },
    options,
  });
  const deadline = createDeadline(options, SIGNATURE_MS);
  const signature = await onChain(() => signMessage(wallet, { account, message }), deadline);
  return { message, signature, login_secret: secret };
}
