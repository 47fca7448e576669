import {
  badRequest,
  conflict,
  forbidden,
  HttpError,
  notFound,
  serviceUnavailable,
  unauthorized,
} from '@latchkey/http';
import { hashText } from '../db/text.ts';
import type { ContractError, ContractRevertError } from './errors.ts';

type ErrorName = ContractError['errorName'];
type ArgsOf<Name extends ErrorName> = Extract<ContractError, { errorName: Name }>['args'];

/** `callerHash` is the hash of the key that the request came with. */
type Table = { [Name in ErrorName]: (args: ArgsOf<Name>, callerHash: bigint | undefined) => HttpError };

const notPermitted = (what: string, permission: string) =>
  forbidden(`This usage key may not ${what}.`, {
    fix: `Give it ${permission} with update_usage_api_key, or use the account key.`,
  });
const operatorFault = (name: string) =>
  serviceUnavailable(`the contract refused the payer with ${name}: the payers are not configured right`);
const refused = (reason: string) => badRequest(`The contract refused the request: ${reason}.`);
/** No call of this service can meet it. */
const unexpected = (name: string) => new HttpError('internal_error', `unexpected revert ${name}`);

/** What each error of the contract's interface means to the caller of an endpoint. */
const table: Table = {
  AccountDoesNotExist: ([apiKeyHash], callerHash) =>
    apiKeyHash === callerHash ? unauthorized('This key is unknown.') : notFound('There is no such account.'),
  NoAccountAccess: () =>
    forbidden('This service may not write the account: its admin wallet owns it.', {
      fix: 'Send the call to the contract from the admin wallet.',
    }),
  AccountAlreadyExists: () => conflict('The account exists already, or the key belongs to another one.'),
  GroupDoesNotExist: ([, groupId]) =>
    notFound(`The account has no group ${groupId}.`, { fix: 'list_groups shows its groups.' }),
  /** Also where the revert names a group: the contract permits only wallets of the account in it. */
  PkpDoesNotExist: ([, , pkpId]) =>
    notFound(`The account has no wallet ${pkpId}.`, {
      fix: 'Create a wallet with create_wallet; list_wallets shows the wallets of the account.',
    }),
  PkpAlreadyExists: ([, pkpId]) => conflict(`The account already has the wallet ${pkpId}.`),
  ActionDoesNotExist: ([, groupId, actionHash]) =>
    groupId === 0n
      ? notFound(`The account has no action ${hashText(actionHash)}.`, {
          fix: 'list_actions shows its actions.',
        })
      : notFound(`The group ${groupId} has no action ${hashText(actionHash)}.`, {
          fix: 'list_actions with group_id shows its actions.',
        }),
  ActionAlreadyExists: ([, actionHash]) =>
    conflict(`The account already has the action ${hashText(actionHash)}.`),
  UsageApiKeyDoesNotExist: () =>
    notFound('The account has no such usage key.', { fix: 'list_api_keys shows its usage keys.' }),
  UsageApiKeyExpired: () => unauthorized('This usage key has expired.'),
  NotMasterAccount: () => forbidden('A usage key may not do this.', { fix: 'Use the account key.' }),
  NotAllowedToCreateGroup: () => notPermitted('create groups', 'can_create_groups'),
  NotAllowedToDeleteGroup: () => notPermitted('delete groups', 'can_delete_groups'),
  NotAllowedToCreatePkp: () => notPermitted('create wallets', 'can_create_pkps'),
  NotAllowedToAddPkpToGroup: ([, groupId]) =>
    notPermitted(`add wallets to ${groupText(groupId)}`, 'the group in add_pkp_to_groups'),
  NotAllowedToRemovePkpFromGroup: ([, groupId]) =>
    notPermitted(`remove wallets from ${groupText(groupId)}`, 'the group in remove_pkp_from_groups'),
  NotAllowedToManageIPFSIdsInGroup: ([, groupId]) =>
    notPermitted(`change the actions of ${groupText(groupId)}`, 'the group in manage_ipfs_ids_in_groups'),
  DerivationPathAlreadyRegistered: () => conflict('The derivation path belongs to a wallet already.'),
  DerivationPathNotMintedFor: () => forbidden('The derivation path was not minted for this account.'),
  NewAccountNotManaged: () => refused('a payer opens managed accounts only'),
  AlreadyChainSecured: () => conflict('The account is ChainSecured already.'),
  AlreadyAdminWallet: () => refused('the wallet is the admin wallet already'),
  AccountHashIsZero: () => refused('account hash is zero'),
  AdminWalletIsZero: () => refused('admin wallet is zero'),
  UsageApiKeyHashIsZero: () => refused('usage key hash is zero'),
  ActionHashIsZero: () => refused('action hash is zero'),
  PkpIsZero: () => refused('wallet is zero'),
  DerivationPathIsZero: () => refused('derivation path is zero'),
  ExpirationTooLarge: () => refused('expiration is not in unix seconds'),
  TooManyGroupEntries: ([, maximum]) => refused(`more than ${maximum} entries`),
  TooManyUsageApiKeyEntries: ([, maximum]) => refused(`more than ${maximum} entries`),
  PageSizeOutOfRange: ([, maximum]) => refused(`page size not in 1 to ${maximum}`),
  IdCollision: () => refused('id collides'),
  TooManyUsageApiKeys: () => refused('too many usage keys'),
  TooManyGroups: () => refused('too many groups'),
  TooManyItems: () => refused('too many items'),
  TooManyUsageApiKeyUpdates: () => refused('too many updates of this usage key: remove it and add it again'),
  TooManyGroupUpdates: () => refused('too many updates of this group: remove it and add another'),
  TooManyApiPayers: ([, maximum]) => refused(`more than ${maximum} api payers`),
  ApiPayerIsZero: () => refused('api payer is zero'),
  DuplicateApiPayer: () => refused('api payer is given twice'),
  NodeConfigurationKeyLengthOutOfRange: ([, maximum]) => refused(`key not in 1 to ${maximum} bytes`),
  NodeConfigurationValueTooLong: ([, maximum]) => refused(`value over ${maximum} bytes`),
  TooManyNodeConfigurations: ([maximum]) => refused(`more than ${maximum} keys`),
  InvalidRequest: ([reason]) => refused(reason),
  OnlyApiPayer: () => operatorFault('OnlyApiPayer'),
  OnlyApiPayerOrOwner: () => operatorFault('OnlyApiPayerOrOwner'),
  OnlyConfigOperatorOrOwner: () => unexpected('OnlyConfigOperatorOrOwner'),
  OnlyPricingOperatorOrOwner: () => unexpected('OnlyPricingOperatorOrOwner'),
  OnlyOwner: () => unexpected('OnlyOwner'),
  OnlyPendingOwner: () => unexpected('OnlyPendingOwner'),
  FunctionNotFound: () =>
    serviceUnavailable('the contract does not serve a function that this service calls'),
  SelectorAlreadyRouted: () => unexpected('SelectorAlreadyRouted'),
  SelectorNotReplaceable: () => unexpected('SelectorNotReplaceable'),
  InsufficientGas: () => unexpected('InsufficientGas'),
  InvalidFacet: () => unexpected('InvalidFacet'),
  NoSelectors: () => unexpected('NoSelectors'),
  InitializationFailed: () => unexpected('InitializationFailed'),
};

const groupText = (groupId: bigint): string => (groupId === 0n ? 'every group' : `the group ${groupId}`);

/** The reply to a revert; what is no error of the interface is our fault. */
export function revertStatus({ revert, message }: ContractRevertError, callerHash?: bigint): HttpError {
  if (!revert || !(revert.errorName in table)) return new HttpError('internal_error', message);
  const status = table[revert.errorName] as (
    args: readonly unknown[],
    callerHash: bigint | undefined,
  ) => HttpError;
  return status(revert.args, callerHash);
}
