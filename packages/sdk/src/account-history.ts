/** The history of an account: its changes on the chain. */
import type { Address, Hex } from 'viem';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { type GetReplyOf, get } from './http.ts';
import type { Page } from './pages.ts';
import { readCredential } from './proof.ts';
import { defaultDeadline } from './write-definition.ts';

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
  const deadline = defaultDeadline(client, options);
  const { json } = await get(client, '/core/v1/list_account_changes', {
    query: { page_size: pageSize, before },
    ...(await readCredential(client, deadline)),
    seesOwnWrites: true,
    deadline,
  });
  const last = json.length < pageSize ? undefined : json.at(-1);
  return { items: json.map(toChange), nextPage: last && { ...parameters, before: last.id } };
}
