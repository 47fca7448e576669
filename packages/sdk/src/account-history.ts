/** The history of an account: its changes on the chain, and its requests. */
import type { Address, Hex } from 'viem';
import { getAsOwner } from './as-owner.ts';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import type { GetReplyOf } from './http.ts';
import type { Page } from './pages.ts';
import { usageKeyHash, word } from './values.ts';

/** An event of the account in the contract. */
export interface RecordedChange {
  id: string;
  /** Name of the event of the contract. */
  event: string;
  /** Its arguments in snake_case: hashes and paths as 32 bytes, other numbers as decimal texts. */
  data: Record<string, unknown>;
  /** Time of the block. */
  at: Date;
  blockNumber: bigint;
  transactionHash: Hex;
  /** The wallet or api payer that sent the transaction. */
  sender: Address;
  /**
   * Whether the sender was an api payer. Then the usage key, the signer or, without both, the account key caused the change.
   */
  isSentByService: boolean;
  usageKeyHash?: bigint | undefined;
  /** The wallet that signed it. */
  signer?: Address | undefined;
}

export interface ListAccountChangesParameters {
  /** Items per page, 1 to 1,000. Default 100. */
  pageSize?: number | undefined;
  /** Id of a change: lists those before it. */
  before?: string | undefined;
}

type WireChange = GetReplyOf<'/core/v1/list_account_changes'>[number];

const toChange = (change: WireChange): RecordedChange => ({
  id: change.id,
  event: change.event,
  data: change.data,
  at: new Date(change.at),
  blockNumber: BigInt(change.block_number),
  transactionHash: change.transaction_hash as Hex,
  sender: change.sender as Address,
  isSentByService: change.is_sent_by_service,
  usageKeyHash: change.usage_key_hash === null ? undefined : BigInt(change.usage_key_hash),
  signer: (change.signer as Address | null) ?? undefined,
});

/**
 * Lists what changed the account on the chain, newest first, whoever sent it, with the changes of former keys and admin wallets. A page after the
 * last full one can be empty.
 */
export async function listAccountChanges(
  client: BareClient,
  parameters: ListAccountChangesParameters = {},
  options?: CallOptions,
): Promise<Page<RecordedChange, ListAccountChangesParameters>> {
  const { pageSize = 100, before } = parameters;
  const { json } = await getAsOwner(client, options, '/core/v1/list_account_changes', {
    query: { page_size: pageSize, before },
  });
  const last = json.length < pageSize ? undefined : json.at(-1);
  return { items: json.map(toChange), nextPage: last && { ...parameters, before: last.id } };
}

/** A request of the account at the relayer. */
export interface AccountRequest {
  id: number;
  /** `X-Request-Id` of the reply, and the id of the run of a request that ran an action. */
  requestId: string;
  /** When it ended. */
  at: Date;
  method: string;
  /** Path of the route, with names instead of the values of parameters. */
  route: string;
  outcome: RequestOutcome;
  /** Absent for an aborted request. */
  status?: number | undefined;
  /** The code of the error. */
  error?: string | undefined;
  durationMs: number;
  /** Price in micro-credits. A run that was aborted has it in its record only. */
  chargedMicros: bigint;
  /** Hash of the key or wallet that sent it. */
  keyHash: bigint;
  /** Later requests in the same second that are not stored. */
  omitted: number;
}

/** `refused`: a status of 4xx, `failed`: of 5xx, `aborted`: the client left before the reply. */
export type RequestOutcome = GetReplyOf<'/core/v1/requests'>[number]['outcome'];

/** At most one filter: `outcome`, `key` or `route`. */
export interface ListRequestsParameters {
  /** Items per page, 1 to 1,000. Default 100. */
  pageSize?: number | undefined;
  /** Id of a request: lists those before it. */
  before?: number | undefined;
  outcome?: RequestOutcome | undefined;
  /** The key that sent it, or its hash. */
  key?: string | bigint | undefined;
  /** Path of the route, for example `/core/v1/svc_action`. */
  route?: string | undefined;
}

/**
 * Lists the requests of the account with a key or a wallet proof, newest first, refused ones too, for 7 days. A page after the last full one can be
 * empty.
 */
export async function listRequests(
  client: BareClient,
  parameters: ListRequestsParameters = {},
  options?: CallOptions,
): Promise<Page<AccountRequest, ListRequestsParameters>> {
  const { pageSize = 100, before, outcome, key, route } = parameters;
  const { json } = await getAsOwner(client, options, '/core/v1/requests', {
    query: {
      page_size: pageSize,
      before,
      outcome,
      key_hash: key === undefined ? undefined : word(usageKeyHash(key)),
      route,
    },
  });
  const last = json.length < pageSize ? undefined : json.at(-1);
  return { items: json.map(toRequest), nextPage: last && { ...parameters, before: last.id } };
}

const toRequest = (request: GetReplyOf<'/core/v1/requests'>[number]): AccountRequest => ({
  id: request.id,
  requestId: request.request_id,
  at: new Date(request.at),
  method: request.method,
  route: request.route,
  outcome: request.outcome,
  status: request.status ?? undefined,
  error: request.error ?? undefined,
  durationMs: request.duration_ms,
  chargedMicros: BigInt(request.charged_micros),
  keyHash: BigInt(request.key_hash),
  omitted: request.omitted,
});
