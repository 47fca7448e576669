import type {
  ApiClient,
  ApiPrepared,
  ApiSeries,
  ChainSecuredClient,
  ChainSecuredPrepared,
} from '@latchkey/sdk';
import type { QueryName } from '../queries.ts';
import type { WalletRequest } from '../wallets.ts';

export type PreparedWrite<Result> =
  | ApiPrepared<Result>
  | (Omit<ApiSeries, 'send'> & Pick<ApiPrepared<Result>, 'send'>)
  | ChainSecuredPrepared<Result>;

export type Write<Result> = {
  /** The title of the dialog: the act of the user, for example "Remove the group". */
  title: string;
  /** The notice afterwards, for example "The group was removed." */
  done: string;
  prepare: (client: ApiClient | ChainSecuredClient) => Promise<PreparedWrite<Result>>;
  /** Values that change. */
  compare?: { label: string; before: string; after: string }[];
  /** Asks in API mode too, because the write cannot be undone or stops something that runs. */
  isDestructive?: boolean;
  /** The word that the user types to confirm a write that removes many things. */
  word?: string;
  /** Lists that are read again before the write resolves, so that the change is visible then. */
  refresh: QueryName[];
};

export type WriteStage =
  | { at: 'preparing' }
  | { at: 'asking'; prepared: PreparedWrite<unknown> }
  | { at: 'sending'; prepared: PreparedWrite<unknown>; requests: WalletRequest[] }
  | { at: 'failed'; prepared?: PreparedWrite<unknown> | undefined; error: unknown };
