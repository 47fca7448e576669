import type * as accounts from './accounts.ts';
import type * as actions from './actions.ts';
import {
  type ApiBareClient,
  type ApiParameters,
  type BareClient,
  type ChainSecuredBareClient,
  createBareClient,
  type IndexedParameters,
  type UnindexedParameters,
} from './bare-client.ts';
import { type BatchResult, batch, prepareBatch } from './batch.ts';
import { type AnyUnbound, type Bound, bindEach } from './bind.ts';
import type { CallOptions } from './deadline.ts';
import type { explainExecution } from './explain-execution.ts';
import * as functions from './generated/functions.ts';
import type * as groups from './groups.ts';
import * as keyReleases from './key-releases.ts';
import type * as runs from './runs.ts';
import type * as usageKeys from './usage-keys.ts';
import type * as wallets from './wallets.ts';
import { type Preparable, prepare, type WriteFunction } from './write.ts';
import type {
  ChainSecuredPrepared,
  Prepared,
  PrepareOptions,
  WriteOptions,
  Written,
} from './write-definition.ts';

type Functions = functions.Functions & Pick<typeof keyReleases, 'listKeyReleases'>;

/** The functions whose parameters or results depend on the mode, or on where lists come from. */
interface Dependent<client extends BareClient, listed extends BareClient> {
  newAccount: typeof accounts.newAccount<client>;
  addUsageApiKey: typeof usageKeys.addUsageApiKey<client>;
  updateUsageApiKey: typeof usageKeys.updateUsageApiKey<client>;
  runAction: typeof runs.runAction<client>;
  continueRun: typeof runs.continueRun<client>;
  sendTransaction: typeof runs.sendTransaction<client>;
  explainExecution: typeof explainExecution<client>;
  listActions: typeof actions.listActions<listed>;
  listApiKeys: typeof usageKeys.listApiKeys<listed>;
  listGroups: typeof groups.listGroups<listed>;
  listWallets: typeof wallets.listWallets<listed>;
  listWalletsInGroup: typeof wallets.listWalletsInGroup<listed>;
}

/** All functions, bound to a client. */
type BoundTo<client extends BareClient, listed extends BareClient> = {
  [name in keyof Functions]: Bound<
    name extends keyof Dependent<client, listed> ? Dependent<client, listed>[name] : Functions[name]
  >;
};

/** The names of the functions that take this type of client. */
type NamesFor<client> = {
  [name in keyof Functions]: Functions[name] extends (client: client, ...args: never[]) => unknown
    ? name
    : never;
}[keyof Functions];
type WriteName = {
  [name in keyof Functions]: Functions[name] extends Preparable ? name : never;
}[keyof Functions];

/** A bound write. */
export type BoundWrite<Parameters, Result> = (
  parameters: Parameters,
  options?: WriteOptions,
) => Promise<Written<Result>>;
/** A bound preparation of a write. */
export type BoundPrepare<client extends BareClient, Parameters, Result> = (
  parameters: Parameters,
  options?: PrepareOptions,
) => Promise<Prepared<client, Result>>;

/** The functions of a client in either mode. */
export interface Operations<client extends BareClient, listed extends BareClient = client>
  extends Pick<BoundTo<client, listed>, NamesFor<BareClient>> {}

/** The writes of both modes. */
export interface Writes<client extends BareClient>
  extends Pick<BoundTo<client, client>, NamesFor<BareClient> & WriteName> {}

/**
 * The preparations of a client's writes, which send nothing: see {@link ApiPrepared} and {@link ChainSecuredPrepared}.
 */
export type Preparations<client extends BareClient, writes = Writes<client>> = {
  [name in keyof writes]: writes[name] extends BoundWrite<infer Parameters, infer Result>
    ? BoundPrepare<client, Parameters, Result>
    : never;
};

/** The writes of API mode only. */
export interface ApiWrites
  extends Pick<
    BoundTo<ApiBareClient, ApiBareClient>,
    Exclude<NamesFor<ApiBareClient>, NamesFor<BareClient>>
  > {}

/** A client in API mode. */
export interface ApiClient extends ApiBareClient, Operations<ApiBareClient>, ApiWrites {
  /** Prepares writes without sending them. */
  prepare: Preparations<ApiBareClient> & Preparations<ApiBareClient, ApiWrites>;
}

/** The writes of ChainSecured mode only. */
export interface ChainSecuredWrites
  extends Pick<
    BoundTo<ChainSecuredBareClient, ChainSecuredBareClient>,
    Exclude<NamesFor<ChainSecuredBareClient>, NamesFor<BareClient>>
  > {}

/** A client in ChainSecured mode. */
export interface ChainSecuredClient<reads extends 'indexer' | 'chain' = 'indexer' | 'chain'>
  extends ChainSecuredBareClient<reads>,
    Operations<ChainSecuredBareClient, ChainSecuredBareClient<reads>>,
    ChainSecuredWrites {
  /** See {@link batch}. */
  batch: <const prepared extends readonly ChainSecuredPrepared<unknown>[]>(
    prepared: prepared,
    options?: CallOptions,
  ) => Promise<Written<BatchResult<prepared>>>;
  /** Prepares writes without sending them. */
  prepare: Preparations<ChainSecuredBareClient> &
    Preparations<ChainSecuredBareClient, ChainSecuredWrites> & {
      /** See {@link prepareBatch}. */
      batch: <const prepared extends readonly ChainSecuredPrepared<unknown>[]>(
        prepared: prepared,
        options?: PrepareOptions,
      ) => Promise<ChainSecuredPrepared<BatchResult<prepared>>>;
    };
}

/**
 * Creates a client with all functions bound to it: in ChainSecured mode with a `wallet`, otherwise in API mode.
 * Functions of both modes have the same names and parameters. For smaller bundles use {@link createBareClient}.
 */
export function createClient(parameters: IndexedParameters): ChainSecuredClient<'indexer'>;
export function createClient(parameters: UnindexedParameters): ChainSecuredClient<'chain'>;
export function createClient(parameters: ApiParameters): ApiClient;
export function createClient(
  parameters: ApiParameters | IndexedParameters | UnindexedParameters,
): ApiClient | ChainSecuredClient {
  const client = createBareClient(parameters as ApiParameters) as BareClient;
  const unbound = Object.entries<AnyUnbound>({
    ...functions.functions(),
    listKeyReleases: keyReleases.listKeyReleases,
  });
  const writes = unbound.filter(
    (entry): entry is [string, WriteFunction<BareClient, unknown, object>] => 'definition' in entry[1],
  );
  const preparations = writes.map(([name, write]) => [
    name,
    (parameters: unknown, options?: PrepareOptions) => prepare(client, write, parameters, options),
  ]);
  const bound = {
    ...client,
    ...bindEach(client, unbound),
    prepare: Object.fromEntries(preparations),
  } as ApiClient | ChainSecuredClient;
  if (bound.mode === 'api') return bound;
  return {
    ...bound,
    batch: (prepared, options) => batch(bound, prepared, options),
    prepare: { ...bound.prepare, batch: (prepared, options) => prepareBatch(bound, prepared, options) },
  };
}
