import type { ContractError, ContractRevertError } from '@latchkey/chain/errors';
import { badRequest, conflict, forbidden, HttpError, notFound, serviceUnavailable } from '@latchkey/http';
import { expiredKey, unknownKey } from '../auth/key-refusals.ts';
import { hashText } from '../db/text.ts';

type ErrorName = ContractError['errorName'];
type ArgsOf<Name extends ErrorName> = Extract<ContractError, { errorName: Name }>['args'];

/** `callerHash` is the hash of the key in the request. */
type Table = { [Name in ErrorName]: (args: ArgsOf<Name>, callerHash: bigint | undefined) => HttpError };

const notPermitted = (operation: string, permission: string) =>
  forbidden(`This usage key is not permitted to ${operation}.`, {
    fix: `Give it ${permission} with update_usage_api_key, or use the account key.`,
  });
const operatorFault = (name: string) =>
  serviceUnavailable(`the contract refused the payer with ${name}: the payers are not configured correctly`);
const refused = (reason: string) => badRequest(`The contract refused the request: ${reason}.`);
/** No call of the relayer can cause it. */
const unexpected = (name: string) => new HttpError('internal_error', `unexpected revert ${name}`);

/** The HTTP error per error of the contract's interface. */
const table: Table = {
  AccountDoesNotExist: ([apiKeyHash], callerHash) =>
    apiKeyHash === callerHash ? unknownKey() : notFound('The account does not exist.'),
  NoAccountAccess: () =>
    forbidden('The relayer cannot write to this account: its admin wallet owns it.', {
      fix: 'Send the call to the contract from the admin wallet.',
    }),
  AccountAlreadyExists: () =>
    conflict('The account already exists, or the key is or was in use.', { fix: 'Send another key.' }),
  AccountNotAccepted: () =>
    forbidden('The account was transferred to this wallet, which has not accepted it.', {
      fix: 'Accept the account by acceptAccount with its master hash, refuse it by cancelTransfer, or open another account.',
    }),
  NoPendingTransfer: () =>
    conflict(
      'The account does not wait for a wallet: its transfer was accepted or cancelled, or there was none.',
    ),
  /** The relayer always sends the consent of the account key. */
  ConsentRequired: () => unexpected('ConsentRequired'),
  OwnerIsZero: () => unexpected('OwnerIsZero'),
  OnlyGuardianOrOwner: () => unexpected('OnlyGuardianOrOwner'),
  ApiPayersAreFrozen: () => serviceUnavailable('the api payers are frozen'),
  ConversionLimitReached: () => unexpected('ConversionLimitReached'),
  MalformedCall: () => refused('a call does not have the canonical ABI encoding'),
  CallOfAnotherAccount: () => refused('a call has another account hash than api_key_hash'),
  NotSignable: () => refused('the function cannot be signed'),
  SignedCallsOutOfRange: () => refused('a batch has 1 to 16 calls'),
  SignatureExpired: () =>
    refused('the deadline of the signature is in the past: sign again with a later one'),
  InvalidSignature: ([signer]) => refused(`the signature is not that of ${signer}`),
  NonceAlreadyUsed: ([, nonce]) =>
    conflict(`The nonce ${hashText(nonce)} was used before, by other writes or by cancelNonce.`, {
      fix:
        'Read the event SignedWritesExecuted or NonceCancelled with this nonce. Sign again with another nonce only if the writes are ' +
        'still needed after it.',
    }),
  AccountIsManaged: () => conflict('The account is managed: write it with its account key.'),
  GroupDoesNotExist: ([, groupId]) =>
    notFound(`The account has no group ${groupId}.`, { fix: 'Find its groups with list_groups.' }),
  /** Also for a group that lacks the wallet, because a group permits only wallets of its account. */
  PkpDoesNotExist: ([, , pkpId]) =>
    notFound(`The account has no wallet ${pkpId}.`, {
      fix: 'Create a wallet with create_wallet, or find one with list_wallets.',
    }),
  PkpAlreadyExists: ([, pkpId]) => conflict(`The account already has the wallet ${pkpId}.`),
  ActionDoesNotExist: ([, groupId, actionHash]) =>
    groupId === 0n
      ? notFound(`The account has no action ${hashText(actionHash)}.`, {
          fix: 'Find its actions with list_actions.',
        })
      : notFound(`The group ${groupId} has no action ${hashText(actionHash)}.`, {
          fix: 'Find its actions with list_actions and group_id.',
        }),
  ActionAlreadyExists: ([, actionHash]) =>
    conflict(`The account already has the action ${hashText(actionHash)}.`),
  UsageApiKeyDoesNotExist: () =>
    notFound('The account does not have this usage key.', { fix: 'Find its usage keys with list_api_keys.' }),
  UsageApiKeyExpired: expiredKey,
  NotMasterAccount: () => forbidden('Usage keys cannot call this endpoint.', { fix: 'Use the account key.' }),
  NotAllowedToCreateGroup: () => notPermitted('create groups', 'can_create_groups'),
  NotAllowedToDeleteGroup: () => notPermitted('delete groups', 'can_delete_groups'),
  NotAllowedToCreatePkp: () => notPermitted('create wallets', 'can_create_pkps'),
  NotAllowedToAddPkpToGroup: ([, groupId]) =>
    notPermitted(`add wallets to ${groupText(groupId)}`, 'the group in add_pkp_to_groups'),
  NotAllowedToRemovePkpFromGroup: ([, groupId]) =>
    notPermitted(`remove wallets from ${groupText(groupId)}`, 'the group in remove_pkp_from_groups'),
  NotAllowedToManageIPFSIdsInGroup: ([, groupId]) =>
    notPermitted(`change the actions of ${groupText(groupId)}`, 'the group in manage_ipfs_ids_in_groups'),
  DerivationPathAlreadyRegistered: () =>
    conflict('The derivation path already belongs to a wallet.', {
      fix: 'Make another wallet with create_wallet_with_signature.',
    }),
  DerivationPathNotMintedFor: () =>
    forbidden('The derivation path was not minted for this account.', {
      fix: 'Make a wallet with create_wallet_with_signature, signed by the admin wallet of the account.',
    }),
  NewAccountNotManaged: () => refused('api payers can create managed accounts only'),
  AlreadyChainSecured: () => conflict('The account is already ChainSecured.'),
  AlreadyAdminWallet: () => refused('the wallet is already the admin wallet'),
  AccountHashIsZero: () => refused('account hash is zero'),
  AdminWalletIsZero: () => refused('admin wallet is zero'),
  UsageApiKeyHashIsZero: () => refused('usage key hash is zero'),
  ActionHashIsZero: () => refused('action hash is zero'),
  PkpIsZero: () => refused('wallet is zero'),
  DerivationPathIsZero: () => refused('derivation path is zero'),
  ExpirationTooLarge: () => refused('expiration is out of range: send Unix seconds, or 0 for no expiry'),
  TooManyGroupEntries: ([, maximum]) => refused(`the group has more than ${maximum} entries`),
  TooManyUsageApiKeyEntries: ([, maximum]) => refused(`the usage key has more than ${maximum} entries`),
  PageSizeOutOfRange: ([, maximum]) => refused(`page_size must be from 1 to ${maximum}`),
  IdCollision: () => refused('id collision'),
  TooManyUsageApiKeys: () => refused('the account has too many usage keys'),
  TooManyGroups: () => refused('the account has too many groups'),
  TooManyItems: () => refused('the account has too many items'),
  TooManyGroupMembers: ([, maximum]) =>
    refused(`the group has more than ${maximum} members: remove some of them first`),
  TooManyApiPayers: ([, maximum]) => refused(`more than ${maximum} api payers`),
  ApiPayerIsZero: () => refused('api payer is zero'),
  DuplicateApiPayer: () => refused('an api payer is listed twice'),
  NodeConfigurationKeyLengthOutOfRange: ([, maximum]) => refused(`the key must have 1 to ${maximum} bytes`),
  NodeConfigurationValueTooLong: ([, maximum]) => refused(`the value has more than ${maximum} bytes`),
  TooManyNodeConfigurations: ([maximum]) => refused(`more than ${maximum} keys`),
  InvalidRequest: ([reason]) => refused(reason),
  OnlyApiPayer: () => operatorFault('OnlyApiPayer'),
  OnlyApiPayerOrOwner: () => operatorFault('OnlyApiPayerOrOwner'),
  OnlyConfigOperatorOrOwner: () => unexpected('OnlyConfigOperatorOrOwner'),
  OnlyPricingOperatorOrOwner: () => unexpected('OnlyPricingOperatorOrOwner'),
  OnlyOwner: () => unexpected('OnlyOwner'),
  OnlyPendingOwner: () => unexpected('OnlyPendingOwner'),
  FunctionNotFound: () => serviceUnavailable('the contract does not have a function that the relayer calls'),
  SelectorAlreadyRouted: () => unexpected('SelectorAlreadyRouted'),
  SelectorNotReplaceable: () => unexpected('SelectorNotReplaceable'),
  InsufficientGas: () => unexpected('InsufficientGas'),
  InvalidFacet: () => unexpected('InvalidFacet'),
  NoSelectors: () => unexpected('NoSelectors'),
  InitializationFailed: () => unexpected('InitializationFailed'),
};

const groupText = (groupId: bigint): string => (groupId === 0n ? 'every group' : `the group ${groupId}`);

/** Returns the HTTP error for a revert; 500 for data that is not an error of the interface. */
export function revertStatus({ revert, message }: ContractRevertError, callerHash?: bigint): HttpError {
  if (!revert || !(revert.errorName in table)) return new HttpError('internal_error', message);
  const status = table[revert.errorName] as (
    args: readonly unknown[],
    callerHash: bigint | undefined,
  ) => HttpError;
  return status(revert.args, callerHash);
}
