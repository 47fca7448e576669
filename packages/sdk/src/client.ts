import type { Address } from 'viem';
import * as acceptance from './acceptance.ts';
import type { AccountState } from './account-state.ts';
import * as accounts from './accounts.ts';
import * as actions from './actions.ts';
import {
  type ApiBareClient,
  type ApiParameters,
  type BareClient,
  type ChainSecuredBareClient,
  createBareClient,
  type IndexedParameters,
  type UnindexedParameters,
} from './bare-client.ts';
import * as billing from './billing.ts';
import { type AnyUnbound, bind, bindEach, type Unbound } from './bind.ts';
import * as chainInformation from './chain-information.ts';
import type { CallOptions } from './deadline.ts';
import * as groups from './groups.ts';
import * as keyReleases from './key-releases.ts';
import type { Page, PageParameters } from './pages.ts';
import * as runs from './runs.ts';
import * as usageKeys from './usage-keys.ts';
import * as wallets from './wallets.ts';
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
/** A bound read. */
export type BoundAsk<Result> = (options?: CallOptions) => Promise<Result>;
/** A bound list. */
export type BoundList<Parameters, Item> = (
  parameters?: Parameters,
  options?: CallOptions,
) => Promise<Page<Item, Parameters>>;

/** The writes of both modes. */
export interface Writes<client extends BareClient> {
  /** See {@link accounts.newAccount | newAccount}. */
  newAccount: BoundWrite<accounts.NewAccountParameters, accounts.NewAccountResult<client>>;
  /** See {@link accounts.retireAccount | retireAccount}. */
  retireAccount: BoundWrite<accounts.RetireAccountParameters, object>;
  /** See {@link usageKeys.addUsageApiKey | addUsageApiKey}. */
  addUsageApiKey: BoundWrite<usageKeys.AddUsageApiKeyParameters<client>, usageKeys.AddUsageApiKeyResult>;
  /** See {@link usageKeys.updateUsageApiKey | updateUsageApiKey}. */
  updateUsageApiKey: BoundWrite<usageKeys.UpdateUsageApiKeyParameters<client>, object>;
  /** See {@link usageKeys.updateUsageApiKeyMetadata | updateUsageApiKeyMetadata}. */
  updateUsageApiKeyMetadata: BoundWrite<usageKeys.UpdateUsageApiKeyMetadataParameters, object>;
  /** See {@link usageKeys.removeUsageApiKey | removeUsageApiKey}. */
  removeUsageApiKey: BoundWrite<usageKeys.UsageApiKeyParameters, object>;
  /** See {@link usageKeys.removeAllUsageApiKeys | removeAllUsageApiKeys}. */
  removeAllUsageApiKeys: BoundWrite<object, object>;
  /** See {@link usageKeys.rotateUsageApiKey | rotateUsageApiKey}. */
  rotateUsageApiKey: BoundWrite<usageKeys.RotateUsageApiKeyParameters, object>;
  /** See {@link usageKeys.setUsageApiKeyExpiration | setUsageApiKeyExpiration}. */
  setUsageApiKeyExpiration: BoundWrite<usageKeys.SetUsageApiKeyExpirationParameters, object>;
  /** See {@link groups.addGroup | addGroup}. */
  addGroup: BoundWrite<groups.AddGroupParameters, groups.AddGroupResult>;
  /** See {@link groups.updateGroup | updateGroup}. */
  updateGroup: BoundWrite<groups.UpdateGroupParameters, object>;
  /** See {@link groups.removeGroup | removeGroup}. */
  removeGroup: BoundWrite<groups.RemoveGroupParameters, object>;
  /** See {@link groups.addActionToGroup | addActionToGroup}. */
  addActionToGroup: BoundWrite<groups.ActionInGroupParameters, object>;
  /** See {@link groups.removeActionFromGroup | removeActionFromGroup}. */
  removeActionFromGroup: BoundWrite<groups.ActionInGroupParameters, object>;
  /** See {@link groups.addPkpToGroup | addPkpToGroup}. */
  addPkpToGroup: BoundWrite<groups.PkpInGroupParameters, object>;
  /** See {@link groups.removePkpFromGroup | removePkpFromGroup}. */
  removePkpFromGroup: BoundWrite<groups.PkpInGroupParameters, object>;
  /** See {@link groups.addToGroup | addToGroup}. */
  addToGroup: BoundWrite<groups.GroupMembersParameters, object>;
  /** See {@link groups.removeFromGroup | removeFromGroup}. */
  removeFromGroup: BoundWrite<groups.GroupMembersParameters, object>;
  /** See {@link actions.addAction | addAction}. */
  addAction: BoundWrite<actions.AddActionParameters, object>;
  /** See {@link actions.updateActionMetadata | updateActionMetadata}. */
  updateActionMetadata: BoundWrite<actions.UpdateActionMetadataParameters, object>;
  /** See {@link actions.deleteAction | deleteAction}. */
  deleteAction: BoundWrite<actions.DeleteActionParameters, object>;
  /** See {@link wallets.createWallet | createWallet}. */
  createWallet: BoundWrite<wallets.CreateWalletParameters, wallets.CreateWalletResult>;
}

/** The functions of a client in either mode. */
export interface Operations<client extends BareClient, listed extends BareClient = client>
  extends Writes<client> {
  /** See {@link usageKeys.listApiKeys | listApiKeys}. */
  listApiKeys: BoundList<PageParameters, usageKeys.UsageApiKey<listed>>;
  /** See {@link usageKeys.setUsageApiKeyRecording | setUsageApiKeyRecording}. */
  setUsageApiKeyRecording: (
    parameters: usageKeys.SetUsageApiKeyRecordingParameters,
    options?: WriteOptions,
  ) => Promise<void>;
  /** See {@link groups.listGroups | listGroups}. */
  listGroups: BoundList<PageParameters, groups.Group<listed>>;
  /** See {@link actions.listActions | listActions}. */
  listActions: BoundList<actions.ListActionsParameters, actions.Action<listed>>;
  /** See {@link wallets.listWallets | listWallets}. */
  listWallets: BoundList<PageParameters, wallets.WalletItem<listed>>;
  /** See {@link keyReleases.listKeyReleases | listKeyReleases}. */
  listKeyReleases: (
    parameters: keyReleases.ListKeyReleasesParameters,
    options?: CallOptions,
  ) => Promise<keyReleases.ListKeyReleasesResult>;
  /** See {@link wallets.listWalletsInGroup | listWalletsInGroup}. */
  listWalletsInGroup: (
    parameters: wallets.ListWalletsInGroupParameters,
    options?: CallOptions,
  ) => Promise<Page<wallets.WalletItem<listed>, wallets.ListWalletsInGroupParameters>>;
  /** See {@link accounts.accountExists | accountExists}. */
  accountExists: BoundAsk<boolean>;
  /** See {@link acceptance.accountState | accountState}. */
  accountState: (
    parameters?: acceptance.AccountStateParameters,
    options?: CallOptions,
  ) => Promise<AccountState>;
  /** See {@link chainInformation.getNodeChainConfig | getNodeChainConfig}. */
  getNodeChainConfig: BoundAsk<chainInformation.NodeChainConfig>;
  /** See {@link chainInformation.getApiPayers | getApiPayers}. */
  getApiPayers: BoundAsk<Address[]>;
  /** See {@link chainInformation.getAdminApiPayer | getAdminApiPayer}. */
  getAdminApiPayer: BoundAsk<Address>;
  /** See {@link chainInformation.getSvcActionClientConfig | getSvcActionClientConfig}. */
  getSvcActionClientConfig: BoundAsk<chainInformation.SvcActionClientConfig>;
  /** See {@link chainInformation.getVersion | getVersion}. */
  getVersion: BoundAsk<chainInformation.Version>;
  /** See {@link runs.runAction | runAction}. */
  runAction: (
    parameters: runs.RunActionParameters<client>,
    options?: runs.RunActionOptions,
  ) => Promise<runs.RunActionResult>;
  /** See {@link runs.listRuns | listRuns}. */
  listRuns: BoundList<runs.ListRunsParameters, runs.RunRecord>;
  /** See {@link runs.getRun | getRun}. */
  getRun: (parameters: runs.RunParameters, options?: CallOptions) => Promise<runs.RunRecord>;
  /** See {@link runs.stopRun | stopRun}. */
  stopRun: (parameters: runs.RunParameters, options?: CallOptions) => Promise<runs.RunRecord>;
  /** See {@link runs.explainExecution | explainExecution}. */
  explainExecution: (
    parameters: runs.ExplainExecutionParameters<client>,
    options?: CallOptions,
  ) => Promise<runs.ExplainExecutionResult>;
  /** See {@link runs.getSvcActionIpfsId | getSvcActionIpfsId}. */
  getSvcActionIpfsId: (parameters: { code: string }, options?: CallOptions) => Promise<string>;
  /** See {@link billing.getProcessorConfig | getProcessorConfig}. */
  getProcessorConfig: BoundAsk<billing.ProcessorConfig>;
  /** See {@link billing.getBalance | getBalance}. */
  getBalance: BoundAsk<billing.Balance>;
  /** See {@link billing.listLedger | listLedger}. */
  listLedger: BoundList<PageParameters, billing.LedgerEntry>;
  /** See {@link billing.createPaymentIntent | createPaymentIntent}. */
  createPaymentIntent: (
    parameters: billing.CreatePaymentIntentParameters,
    options?: WriteOptions,
  ) => Promise<billing.PaymentIntent>;
  /** See {@link billing.confirmPayment | confirmPayment}. */
  confirmPayment: (parameters: billing.ConfirmPaymentParameters, options?: CallOptions) => Promise<void>;
}

/**
 * The preparations of a client's writes, which send nothing: see {@link ApiPrepared} and {@link ChainSecuredPrepared}.
 */
export type Preparations<client extends BareClient, writes = Writes<client>> = {
  [name in keyof writes]: writes[name] extends BoundWrite<infer Parameters, infer Result>
    ? BoundPrepare<client, Parameters, Result>
    : never;
};

/** The writes of API mode only. */
export interface ApiWrites {
  /** See {@link accounts.convertToChainSecuredAccount | convertToChainSecuredAccount}. */
  convertToChainSecuredAccount: BoundWrite<
    accounts.ConvertToChainSecuredAccountParameters,
    accounts.ConvertToChainSecuredAccountResult
  >;
  /** See {@link accounts.rotateAccountKey | rotateAccountKey}. */
  rotateAccountKey: BoundWrite<accounts.RotateAccountKeyParameters, object>;
}

/** A client in API mode. */
export interface ApiClient extends ApiBareClient, Operations<ApiBareClient>, ApiWrites {
  /** Prepares writes without sending them. */
  prepare: Preparations<ApiBareClient> & Preparations<ApiBareClient, ApiWrites>;
}

/** The writes of ChainSecured mode only. */
export interface ChainSecuredWrites {
  /** See {@link accounts.transferOwnership | transferOwnership}. */
  transferOwnership: BoundWrite<accounts.TransferOwnershipParameters, object>;
  /** See {@link acceptance.acceptAccount | acceptAccount}. */
  acceptAccount: BoundWrite<acceptance.TransferredAccountParameters, object>;
  /** See {@link acceptance.cancelTransfer | cancelTransfer}. */
  cancelTransfer: BoundWrite<acceptance.TransferredAccountParameters, object>;
  /** See {@link acceptance.cancelNonce | cancelNonce}. */
  cancelNonce: BoundWrite<acceptance.CancelNonceParameters, object>;
}

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

/** The functions that send and prepare each write of both modes. */
const writes = {
  newAccount: [accounts.newAccount, accounts.prepareNewAccount],
  retireAccount: [accounts.retireAccount, accounts.prepareRetireAccount],
  addUsageApiKey: [usageKeys.addUsageApiKey, usageKeys.prepareAddUsageApiKey],
  updateUsageApiKey: [usageKeys.updateUsageApiKey, usageKeys.prepareUpdateUsageApiKey],
  updateUsageApiKeyMetadata: [
    usageKeys.updateUsageApiKeyMetadata,
    usageKeys.prepareUpdateUsageApiKeyMetadata,
  ],
  removeUsageApiKey: [usageKeys.removeUsageApiKey, usageKeys.prepareRemoveUsageApiKey],
  removeAllUsageApiKeys: [usageKeys.removeAllUsageApiKeys, usageKeys.prepareRemoveAllUsageApiKeys],
  rotateUsageApiKey: [usageKeys.rotateUsageApiKey, usageKeys.prepareRotateUsageApiKey],
  setUsageApiKeyExpiration: [usageKeys.setUsageApiKeyExpiration, usageKeys.prepareSetUsageApiKeyExpiration],
  addGroup: [groups.addGroup, groups.prepareAddGroup],
  updateGroup: [groups.updateGroup, groups.prepareUpdateGroup],
  removeGroup: [groups.removeGroup, groups.prepareRemoveGroup],
  addActionToGroup: [groups.addActionToGroup, groups.prepareAddActionToGroup],
  removeActionFromGroup: [groups.removeActionFromGroup, groups.prepareRemoveActionFromGroup],
  addPkpToGroup: [groups.addPkpToGroup, groups.prepareAddPkpToGroup],
  removePkpFromGroup: [groups.removePkpFromGroup, groups.prepareRemovePkpFromGroup],
  addToGroup: [groups.addToGroup, groups.prepareAddToGroup],
  removeFromGroup: [groups.removeFromGroup, groups.prepareRemoveFromGroup],
  addAction: [actions.addAction, actions.prepareAddAction],
  updateActionMetadata: [actions.updateActionMetadata, actions.prepareUpdateActionMetadata],
  deleteAction: [actions.deleteAction, actions.prepareDeleteAction],
  createWallet: [wallets.createWallet, wallets.prepareCreateWallet],
} as const;

/** The other operations of both modes. */
const operations = {
  listApiKeys: usageKeys.listApiKeys,
  setUsageApiKeyRecording: usageKeys.setUsageApiKeyRecording,
  listGroups: groups.listGroups,
  listActions: actions.listActions,
  listWallets: wallets.listWallets,
  listKeyReleases: keyReleases.listKeyReleases,
  listWalletsInGroup: wallets.listWalletsInGroup,
  accountExists: accounts.accountExists,
  accountState: acceptance.accountState,
  getNodeChainConfig: chainInformation.getNodeChainConfig,
  getApiPayers: chainInformation.getApiPayers,
  getAdminApiPayer: chainInformation.getAdminApiPayer,
  getSvcActionClientConfig: chainInformation.getSvcActionClientConfig,
  getVersion: chainInformation.getVersion,
  runAction: runs.runAction,
  listRuns: runs.listRuns,
  getRun: runs.getRun,
  stopRun: runs.stopRun,
  explainExecution: runs.explainExecution,
  getSvcActionIpfsId: runs.getSvcActionIpfsId,
  getProcessorConfig: billing.getProcessorConfig,
  getBalance: billing.getBalance,
  listLedger: billing.listLedger,
  createPaymentIntent: billing.createPaymentIntent,
  confirmPayment: billing.confirmPayment,
};

type Unwritten<client extends BareClient> = Omit<Operations<client>, keyof Writes<client>>;
/** Binds the functions that send writes, and under `prepare` those that prepare them. */
function bindWrites<client extends BareClient, bound>(
  client: client,
  pairs: {
    [name in keyof bound]: readonly [
      Unbound<client, bound[name]>,
      Unbound<client, Preparations<client, bound>[name]>,
    ];
  },
): bound & { prepare: Preparations<client, bound> } {
  const entries = Object.entries<readonly [AnyUnbound<client>, AnyUnbound<client>]>(pairs);
  return {
    ...(bindEach(
      client,
      entries.map(([name, [write]]) => [name, write]),
    ) as bound),
    prepare: bindEach(
      client,
      entries.map(([name, [, prepare]]) => [name, prepare]),
    ) as Preparations<client, bound>,
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
  if (client.mode === 'api')
    return {
      ...client,
      ...bind<ApiBareClient, Unwritten<ApiBareClient>>(client, operations),
      ...bindWrites<ApiBareClient, Writes<ApiBareClient> & ApiWrites>(client, {
        ...writes,
        convertToChainSecuredAccount: [
          accounts.convertToChainSecuredAccount,
          accounts.prepareConvertToChainSecuredAccount,
        ],
        rotateAccountKey: [accounts.rotateAccountKey, accounts.prepareRotateAccountKey],
      }),
    };
  const bound = bindWrites<ChainSecuredBareClient, Writes<ChainSecuredBareClient> & ChainSecuredWrites>(
    client,
    {
      ...writes,
      transferOwnership: [accounts.transferOwnership, accounts.prepareTransferOwnership],
      acceptAccount: [acceptance.acceptAccount, acceptance.prepareAcceptAccount],
      cancelTransfer: [acceptance.cancelTransfer, acceptance.prepareCancelTransfer],
      cancelNonce: [acceptance.cancelNonce, acceptance.prepareCancelNonce],
    },
  );
  return {
    ...client,
    ...bind<ChainSecuredBareClient, Unwritten<ChainSecuredBareClient>>(client, operations),
    ...bound,
    batch: (prepared, options) => batch(client, prepared, options),
    prepare: { ...bound.prepare, batch: (prepared, options) => prepareBatch(client, prepared, options) },
  };
}
