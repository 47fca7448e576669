import type { Address } from 'viem';
import {
  accountExists,
  type ConvertToChainSecuredAccountParameters,
  type ConvertToChainSecuredAccountResult,
  convertToChainSecuredAccount,
  type NewAccountParameters,
  type NewAccountResult,
  newAccount,
  prepareConvertToChainSecuredAccount,
  prepareNewAccount,
  prepareTransferOwnership,
  type TransferOwnershipParameters,
  transferOwnership,
} from './accounts.ts';
import {
  type Action,
  type AddActionParameters,
  addAction,
  type DeleteActionParameters,
  deleteAction,
  type ListActionsParameters,
  listActions,
  prepareAddAction,
  prepareDeleteAction,
  prepareUpdateActionMetadata,
  type UpdateActionMetadataParameters,
  updateActionMetadata,
} from './actions.ts';
import {
  type ApiBareClient,
  type ApiParameters,
  type BareClient,
  type ChainSecuredBareClient,
  createBareClient,
  type IndexedParameters,
  type UnindexedParameters,
} from './bare-client.ts';
import {
  type Balance,
  type ConfirmPaymentParameters,
  type CreatePaymentIntentParameters,
  confirmPayment,
  createPaymentIntent,
  getBalance,
  getProcessorConfig,
  type LedgerEntry,
  listLedger,
  type PaymentIntent,
  type ProcessorConfig,
} from './billing.ts';
import {
  getAdminApiPayer,
  getApiPayers,
  getNodeChainConfig,
  getSvcActionClientConfig,
  getVersion,
  type NodeChainConfig,
  type SvcActionClientConfig,
  type Version,
} from './chain-information.ts';
import type { CallOptions } from './deadline.ts';
import {
  type AddActionToGroupParameters,
  type AddGroupParameters,
  type AddGroupResult,
  addActionToGroup,
  addGroup,
  addPkpToGroup,
  type Group,
  listGroups,
  type PkpInGroupParameters,
  prepareAddActionToGroup,
  prepareAddGroup,
  prepareAddPkpToGroup,
  prepareRemoveActionFromGroup,
  prepareRemoveGroup,
  prepareRemovePkpFromGroup,
  prepareUpdateGroup,
  type RemoveActionFromGroupParameters,
  type RemoveGroupParameters,
  removeActionFromGroup,
  removeGroup,
  removePkpFromGroup,
  type UpdateGroupParameters,
  updateGroup,
} from './groups.ts';
import type { Page, PageParameters } from './pages.ts';
import {
  type ExplainExecutionParameters,
  type ExplainExecutionResult,
  explainExecution,
  getSvcActionIpfsId,
  type RunActionParameters,
  type RunActionResult,
  runAction,
} from './runs.ts';
import {
  type AddUsageApiKeyParameters,
  type AddUsageApiKeyResult,
  addUsageApiKey,
  listApiKeys,
  prepareAddUsageApiKey,
  prepareRemoveUsageApiKey,
  prepareUpdateUsageApiKey,
  prepareUpdateUsageApiKeyMetadata,
  removeUsageApiKey,
  type UpdateUsageApiKeyMetadataParameters,
  type UpdateUsageApiKeyParameters,
  type UsageApiKey,
  type UsageApiKeyParameters,
  updateUsageApiKey,
  updateUsageApiKeyMetadata,
} from './usage-keys.ts';
import {
  type CreateWalletParameters,
  type CreateWalletResult,
  createWallet,
  type ListWalletsInGroupParameters,
  listWallets,
  listWalletsInGroup,
  prepareCreateWallet,
  type WalletItem,
} from './wallets.ts';
import {
  type BatchResult,
  batch,
  type ChainSecuredPrepared,
  type Prepared,
  type PrepareOptions,
  prepareBatch,
  type WriteOptions,
  type Written,
} from './write.ts';

/** A write of a client. */
export type BoundWrite<Parameters, Result> = (
  parameters: Parameters,
  options?: WriteOptions,
) => Promise<Written<Result>>;
/** A write of a client, looked at. */
export type BoundPrepare<client extends BareClient, Parameters, Result> = (
  parameters: Parameters,
  options?: PrepareOptions,
) => Promise<Prepared<client, Result>>;
/** A question of a client. */
export type BoundAsk<Result> = (options?: CallOptions) => Promise<Result>;
/** A list of a client. */
export type BoundList<Parameters, Item> = (
  parameters?: Parameters,
  options?: CallOptions,
) => Promise<Page<Item>>;

/** What a client of either mode does. */
export interface Operations<client extends BareClient, listed extends BareClient = client> {
  /** See {@link newAccount}. */
  newAccount: BoundWrite<NewAccountParameters, NewAccountResult<client>>;
  /** See {@link addUsageApiKey}. */
  addUsageApiKey: BoundWrite<AddUsageApiKeyParameters<client>, AddUsageApiKeyResult>;
  /** See {@link updateUsageApiKey}. */
  updateUsageApiKey: BoundWrite<UpdateUsageApiKeyParameters<client>, object>;
  /** See {@link updateUsageApiKeyMetadata}. */
  updateUsageApiKeyMetadata: BoundWrite<UpdateUsageApiKeyMetadataParameters, object>;
  /** See {@link removeUsageApiKey}. */
  removeUsageApiKey: BoundWrite<UsageApiKeyParameters, object>;
  /** See {@link addGroup}. */
  addGroup: BoundWrite<AddGroupParameters, AddGroupResult>;
  /** See {@link updateGroup}. */
  updateGroup: BoundWrite<UpdateGroupParameters, object>;
  /** See {@link removeGroup}. */
  removeGroup: BoundWrite<RemoveGroupParameters, object>;
  /** See {@link addActionToGroup}. */
  addActionToGroup: BoundWrite<AddActionToGroupParameters, object>;
  /** See {@link removeActionFromGroup}. */
  removeActionFromGroup: BoundWrite<RemoveActionFromGroupParameters, object>;
  /** See {@link addPkpToGroup}. */
  addPkpToGroup: BoundWrite<PkpInGroupParameters, object>;
  /** See {@link removePkpFromGroup}. */
  removePkpFromGroup: BoundWrite<PkpInGroupParameters, object>;
  /** See {@link addAction}. */
  addAction: BoundWrite<AddActionParameters, object>;
  /** See {@link updateActionMetadata}. */
  updateActionMetadata: BoundWrite<UpdateActionMetadataParameters, object>;
  /** See {@link deleteAction}. */
  deleteAction: BoundWrite<DeleteActionParameters, object>;
  /** See {@link createWallet}. */
  createWallet: BoundWrite<CreateWalletParameters, CreateWalletResult>;
  /** See {@link listApiKeys}. */
  listApiKeys: BoundList<PageParameters, UsageApiKey<listed>>;
  /** See {@link listGroups}. */
  listGroups: BoundList<PageParameters, Group<listed>>;
  /** See {@link listActions}. */
  listActions: BoundList<ListActionsParameters, Action<listed>>;
  /** See {@link listWallets}. */
  listWallets: BoundList<PageParameters, WalletItem<listed>>;
  /** See {@link listWalletsInGroup}. */
  listWalletsInGroup: (
    parameters: ListWalletsInGroupParameters,
    options?: CallOptions,
  ) => Promise<Page<WalletItem<listed>>>;
  /** See {@link accountExists}. */
  accountExists: BoundAsk<boolean>;
  /** See {@link getNodeChainConfig}. */
  getNodeChainConfig: BoundAsk<NodeChainConfig>;
  /** See {@link getApiPayers}. */
  getApiPayers: BoundAsk<Address[]>;
  /** See {@link getAdminApiPayer}. */
  getAdminApiPayer: BoundAsk<Address>;
  /** See {@link getSvcActionClientConfig}. */
  getSvcActionClientConfig: BoundAsk<SvcActionClientConfig>;
  /** See {@link getVersion}. */
  getVersion: BoundAsk<Version>;
  /** See {@link runAction}. */
  runAction: (parameters: RunActionParameters<client>, options?: WriteOptions) => Promise<RunActionResult>;
  /** See {@link explainExecution}. */
  explainExecution: (
    parameters: ExplainExecutionParameters<client>,
    options?: CallOptions,
  ) => Promise<ExplainExecutionResult>;
  /** See {@link getSvcActionIpfsId}. */
  getSvcActionIpfsId: (parameters: { code: string }, options?: CallOptions) => Promise<string>;
  /** See {@link getProcessorConfig}. */
  getProcessorConfig: BoundAsk<ProcessorConfig>;
  /** See {@link getBalance}. */
  getBalance: BoundAsk<Balance>;
  /** See {@link listLedger}. */
  listLedger: BoundList<PageParameters, LedgerEntry>;
  /** See {@link createPaymentIntent}. */
  createPaymentIntent: (
    parameters: CreatePaymentIntentParameters,
    options?: WriteOptions,
  ) => Promise<PaymentIntent>;
  /** See {@link confirmPayment}. */
  confirmPayment: (parameters: ConfirmPaymentParameters, options?: CallOptions) => Promise<void>;
}

/** The writes of either mode, looked at: see {@link ApiPrepared} and {@link ChainSecuredPrepared}. */
export interface Preparations<client extends BareClient> {
  newAccount: BoundPrepare<client, NewAccountParameters, NewAccountResult<client>>;
  addUsageApiKey: BoundPrepare<client, AddUsageApiKeyParameters<client>, AddUsageApiKeyResult>;
  updateUsageApiKey: BoundPrepare<client, UpdateUsageApiKeyParameters<client>, object>;
  updateUsageApiKeyMetadata: BoundPrepare<client, UpdateUsageApiKeyMetadataParameters, object>;
  removeUsageApiKey: BoundPrepare<client, UsageApiKeyParameters, object>;
  addGroup: BoundPrepare<client, AddGroupParameters, AddGroupResult>;
  updateGroup: BoundPrepare<client, UpdateGroupParameters, object>;
  removeGroup: BoundPrepare<client, RemoveGroupParameters, object>;
  addActionToGroup: BoundPrepare<client, AddActionToGroupParameters, object>;
  removeActionFromGroup: BoundPrepare<client, RemoveActionFromGroupParameters, object>;
  addPkpToGroup: BoundPrepare<client, PkpInGroupParameters, object>;
  removePkpFromGroup: BoundPrepare<client, PkpInGroupParameters, object>;
  addAction: BoundPrepare<client, AddActionParameters, object>;
  updateActionMetadata: BoundPrepare<client, UpdateActionMetadataParameters, object>;
  deleteAction: BoundPrepare<client, DeleteActionParameters, object>;
  createWallet: BoundPrepare<client, CreateWalletParameters, CreateWalletResult>;
}

/** A client of API mode. */
export interface ApiClient extends ApiBareClient, Operations<ApiBareClient> {
  /** See {@link convertToChainSecuredAccount}. */
  convertToChainSecuredAccount: BoundWrite<
    ConvertToChainSecuredAccountParameters,
    ConvertToChainSecuredAccountResult
  >;
  /** Writes that are looked at, not done. */
  prepare: Preparations<ApiBareClient> & {
    convertToChainSecuredAccount: BoundPrepare<
      ApiBareClient,
      ConvertToChainSecuredAccountParameters,
      ConvertToChainSecuredAccountResult
    >;
  };
}

/** A client of ChainSecured mode. */
export interface ChainSecuredClient<reads extends 'indexer' | 'chain' = 'indexer' | 'chain'>
  extends ChainSecuredBareClient<reads>,
    Operations<ChainSecuredBareClient, ChainSecuredBareClient<reads>> {
  /** See {@link transferOwnership}. */
  transferOwnership: BoundWrite<TransferOwnershipParameters, object>;
  /** See {@link batch}. */
  batch: <const prepared extends readonly ChainSecuredPrepared<unknown>[]>(
    prepared: prepared,
    options?: CallOptions,
  ) => Promise<Written<BatchResult<prepared>>>;
  /** Writes that are looked at, not done. */
  prepare: Preparations<ChainSecuredBareClient> & {
    transferOwnership: BoundPrepare<ChainSecuredBareClient, TransferOwnershipParameters, object>;
    /** See {@link prepareBatch}. */
    batch: <const prepared extends readonly ChainSecuredPrepared<unknown>[]>(
      prepared: prepared,
      options?: PrepareOptions,
    ) => Promise<ChainSecuredPrepared<BatchResult<prepared>>>;
  };
}

function operationsOf<client extends BareClient>(client: client): Operations<client> {
  return {
    newAccount: (parameters, options) => newAccount(client, parameters, options),
    addUsageApiKey: (parameters, options) => addUsageApiKey(client, parameters, options),
    updateUsageApiKey: (parameters, options) => updateUsageApiKey(client, parameters, options),
    updateUsageApiKeyMetadata: (parameters, options) =>
      updateUsageApiKeyMetadata(client, parameters, options),
    removeUsageApiKey: (parameters, options) => removeUsageApiKey(client, parameters, options),
    addGroup: (parameters, options) => addGroup(client, parameters, options),
    updateGroup: (parameters, options) => updateGroup(client, parameters, options),
    removeGroup: (parameters, options) => removeGroup(client, parameters, options),
    addActionToGroup: (parameters, options) => addActionToGroup(client, parameters, options),
    removeActionFromGroup: (parameters, options) => removeActionFromGroup(client, parameters, options),
    addPkpToGroup: (parameters, options) => addPkpToGroup(client, parameters, options),
    removePkpFromGroup: (parameters, options) => removePkpFromGroup(client, parameters, options),
    addAction: (parameters, options) => addAction(client, parameters, options),
    updateActionMetadata: (parameters, options) => updateActionMetadata(client, parameters, options),
    deleteAction: (parameters, options) => deleteAction(client, parameters, options),
    createWallet: (parameters, options) => createWallet(client, parameters, options),
    listApiKeys: (parameters, options) => listApiKeys(client, parameters, options),
    listGroups: (parameters, options) => listGroups(client, parameters, options),
    listActions: (parameters, options) => listActions(client, parameters, options),
    listWallets: (parameters, options) => listWallets(client, parameters, options),
    listWalletsInGroup: (parameters, options) => listWalletsInGroup(client, parameters, options),
    accountExists: (options) => accountExists(client, options),
    getNodeChainConfig: (options) => getNodeChainConfig(client, options),
    getApiPayers: (options) => getApiPayers(client, options),
    getAdminApiPayer: (options) => getAdminApiPayer(client, options),
    getSvcActionClientConfig: (options) => getSvcActionClientConfig(client, options),
    getVersion: (options) => getVersion(client, options),
    runAction: (parameters, options) => runAction(client, parameters, options),
    explainExecution: (parameters, options) => explainExecution(client, parameters, options),
    getSvcActionIpfsId: (parameters, options) => getSvcActionIpfsId(client, parameters, options),
    getProcessorConfig: (options) => getProcessorConfig(client, options),
    getBalance: (options) => getBalance(client, options),
    listLedger: (parameters, options) => listLedger(client, parameters, options),
    createPaymentIntent: (parameters, options) => createPaymentIntent(client, parameters, options),
    confirmPayment: (parameters, options) => confirmPayment(client, parameters, options),
  };
}

function preparationsOf<client extends BareClient>(client: client): Preparations<client> {
  return {
    newAccount: (parameters, options) => prepareNewAccount(client, parameters, options),
    addUsageApiKey: (parameters, options) => prepareAddUsageApiKey(client, parameters, options),
    updateUsageApiKey: (parameters, options) => prepareUpdateUsageApiKey(client, parameters, options),
    updateUsageApiKeyMetadata: (parameters, options) =>
      prepareUpdateUsageApiKeyMetadata(client, parameters, options),
    removeUsageApiKey: (parameters, options) => prepareRemoveUsageApiKey(client, parameters, options),
    addGroup: (parameters, options) => prepareAddGroup(client, parameters, options),
    updateGroup: (parameters, options) => prepareUpdateGroup(client, parameters, options),
    removeGroup: (parameters, options) => prepareRemoveGroup(client, parameters, options),
    addActionToGroup: (parameters, options) => prepareAddActionToGroup(client, parameters, options),
    removeActionFromGroup: (parameters, options) => prepareRemoveActionFromGroup(client, parameters, options),
    addPkpToGroup: (parameters, options) => prepareAddPkpToGroup(client, parameters, options),
    removePkpFromGroup: (parameters, options) => prepareRemovePkpFromGroup(client, parameters, options),
    addAction: (parameters, options) => prepareAddAction(client, parameters, options),
    updateActionMetadata: (parameters, options) => prepareUpdateActionMetadata(client, parameters, options),
    deleteAction: (parameters, options) => prepareDeleteAction(client, parameters, options),
    createWallet: (parameters, options) => prepareCreateWallet(client, parameters, options),
  };
}

/**
 * A client with all functions bound to it. With a `wallet` it is of ChainSecured mode, else of API mode; what both modes have
 * has the same name and takes the same parameters. A bundle that does not need all functions uses {@link createBareClient}.
 */
export function createClient(parameters: IndexedParameters): ChainSecuredClient<'indexer'>;
export function createClient(parameters: UnindexedParameters): ChainSecuredClient<'chain'>;
export function createClient(parameters: ApiParameters): ApiClient;
export function createClient(
  parameters: ApiParameters | IndexedParameters | UnindexedParameters,
): ApiClient | ChainSecuredClient {
  const client = createBareClient(parameters as ApiParameters) as BareClient;
  if (client.mode === 'api')
    return {
      ...client,
      ...operationsOf(client),
      convertToChainSecuredAccount: (own, options) => convertToChainSecuredAccount(client, own, options),
      prepare: {
        ...preparationsOf(client),
        convertToChainSecuredAccount: (own, options) =>
          prepareConvertToChainSecuredAccount(client, own, options),
      },
    };
  return {
    ...client,
    ...operationsOf(client),
    transferOwnership: (own, options) => transferOwnership(client, own, options),
    batch: (prepared, options) => batch(client, prepared, options),
    prepare: {
      ...preparationsOf(client),
      transferOwnership: (own, options) => prepareTransferOwnership(client, own, options),
      batch: (prepared, options) => prepareBatch(client, prepared, options),
    },
  };
}
