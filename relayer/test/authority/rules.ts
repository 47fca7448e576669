/**
 * Which caller can call which endpoint: the specification as tables, written independently of the relayer that it
 * tests.
 */
import type { AccountName } from './accounts.ts';
import type { Caller } from './callers.ts';
import type { Flag, List } from './permissions.ts';

export type Rule = {
  /**
   * `anyone`: no credential is checked. `keyText`: any well-formed key. `anyKey`: every live key. `accountKey`: only
   * account keys. `usageKey`: every live usage key. Otherwise the permission of a usage key, which the account key has
   * unless `notAccountKey`. `operator`: no key and no wallet.
   */
  caller: 'anyone' | 'operator' | 'keyText' | 'anyKey' | 'accountKey' | 'usageKey' | Flag | List;
  notAccountKey?: true;
  /** X-Wallet-Auth is a credential here. */
  wallet?: true;
  /** Written by the payer, which can write to managed accounts only. */
  write?: true;
  /** Kept by a conversion: also with the account key of a converted account. */
  isKept?: true;
  /** The request names something of the account that another account does not have: 404. */
  names?: true;
  /** The request names a run, which other usage keys of its account do not have either: 404. */
  namesRun?: true;
  /** Status of the sample request for a permitted caller. Default: 200. */
  status?: number;
};

const read = { caller: 'anyKey', wallet: true } as const;
const list = { ...read, isKept: true } as const;
const managed = { caller: 'accountKey', write: true } as const;
const anyone = { caller: 'anyone' } as const;
const billing = { caller: 'accountKey', wallet: true } as const;

/** By method and path. */
export const rules: Record<string, Rule> = {
  'POST /core/v1/new_account': anyone,
  // The shared stack uses no challenges.
  'GET /core/v1/new_account_challenge': { ...anyone, status: 404 },
  'GET /core/v1/account_exists': { caller: 'keyText' },
  'GET /core/v1/account_admin': anyone,
  'GET /core/v1/export_account': billing,
  'GET /core/v1/list_account_changes': billing,
  'GET /core/v1/requests': billing,
  // The sample names a wallet that already owns an account.
  'POST /core/v1/convert_to_chain_secured_account': { ...managed, status: 409 },
  // The sample names a key in use.
  'POST /core/v1/rotate_account_key': { ...managed, status: 409 },
  // The sample confirms another account.
  'POST /core/v1/retire_account': { ...managed, status: 400 },
  // The sample is signed by a wallet that is not the admin of the account.
  'POST /core/v1/submit_signed_write': { ...anyone, status: 400 },
  'POST /core/v1/add_usage_api_key': managed,
  'POST /core/v1/add_usage_api_key_with_signature': anyone,
  'GET /core/v1/list_api_keys': { ...billing, isKept: true },
  'POST /core/v1/update_usage_api_key': { ...managed, names: true },
  'POST /core/v1/update_usage_api_key_metadata': { ...managed, names: true },
  'POST /core/v1/remove_usage_api_key': { ...managed, names: true },
  'POST /core/v1/rotate_usage_api_key': { ...managed, names: true },
  'POST /core/v1/set_usage_api_key_expiration': { ...managed, names: true },
  'POST /core/v1/set_usage_api_key_recording': { ...billing, names: true },
  // The sample has a field that does not exist.
  'POST /core/v1/remove_all_usage_api_keys': { ...managed, status: 422 },
  'POST /core/v1/add_to_group': { caller: 'manage_ipfs_ids_in_groups', write: true, names: true },
  'POST /core/v1/remove_from_group': { caller: 'remove_pkp_from_groups', write: true, names: true },
  'POST /core/v1/add_group': { caller: 'can_create_groups', write: true },
  'GET /core/v1/list_groups': list,
  'POST /core/v1/update_group': { ...managed, names: true },
  'POST /core/v1/remove_group': { caller: 'can_delete_groups', write: true, names: true },
  'POST /core/v1/add_action_to_group': { caller: 'manage_ipfs_ids_in_groups', write: true, names: true },
  'POST /core/v1/remove_action_from_group': { caller: 'manage_ipfs_ids_in_groups', write: true, names: true },
  'POST /core/v1/add_pkp_to_group': { caller: 'add_pkp_to_groups', write: true, names: true },
  'POST /core/v1/remove_pkp_from_group': { caller: 'remove_pkp_from_groups', write: true, names: true },
  'POST /core/v1/add_action': managed,
  'GET /core/v1/list_actions': { ...list, names: true },
  'POST /core/v1/update_action_metadata': { ...managed, names: true },
  'POST /core/v1/delete_action': { ...managed, names: true },
  'POST /core/v1/store_action_code': { ...billing },
  'GET /core/v1/list_action_codes': billing,
  'GET /core/v1/action_code/:cid': { ...billing, names: true },
  'POST /core/v1/delete_action_code': { ...billing, names: true },
  'POST /core/v1/create_wallet': { caller: 'can_create_pkps', write: true },
  'GET /core/v1/create_wallet': { caller: 'can_create_pkps', write: true },
  'POST /core/v1/create_wallet_with_signature': anyone,
  'GET /core/v1/list_wallets': list,
  'GET /core/v1/list_wallets_in_group': { ...list, names: true },
  'GET /core/v1/key_releases': { ...billing, names: true },
  'POST /core/v1/set_secret': { ...billing, names: true },
  'GET /core/v1/list_secrets': billing,
  'GET /core/v1/list_secret_events': billing,
  'POST /core/v1/delete_secret': { ...billing, names: true },
  'POST /core/v1/svc_action': { caller: 'execute_in_groups', notAccountKey: true },
  // The value of the sample has more than 256 bits, which the run refuses.
  'POST /core/v1/send_transaction': { caller: 'execute_in_groups', notAccountKey: true, status: 400 },
  'GET /core/v1/list_runs': read,
  'GET /core/v1/run/:id': { ...read, names: true, namesRun: true },
  'GET /core/v1/list_approvals': read,
  // The samples name an approval that does not exist. Approvers have no key.
  'GET /core/v1/approval/:id': { ...anyone, status: 404 },
  'POST /core/v1/approve': { ...anyone, status: 404 },
  'POST /core/v1/refuse_approval': { ...anyone, status: 404 },
  'POST /core/v1/cancel_approval': { ...billing, status: 404 },
  'DELETE /core/v1/run/:id': { ...read, names: true, namesRun: true },
  'GET /core/v1/transactions': read,
  'GET /core/v1/transactions/events': read,
  // The samples name no transaction: only a run sends one.
  'GET /core/v1/transactions/:id': { ...read, status: 404 },
  'POST /core/v1/cancel_transaction': { ...read, status: 404 },
  // An account key asks with `usage_api_key`, which the sample does not have.
  'GET /core/v1/explain_execution': { caller: 'usageKey' },
  'GET /core/v1/get_svc_action_client_config': anyone,
  'POST /core/v1/get_svc_action_ipfs_id': anyone,
  'GET /core/v1/billing/processor_config': anyone,
  'GET /core/v1/billing/balance': list,
  'GET /core/v1/billing/ledger': billing,
  'POST /core/v1/billing/create_payment_intent': billing,
  'POST /core/v1/billing/confirm_payment': { ...billing, names: true },
  'GET /core/v1/billing/auto_top_up': billing,
  'POST /core/v1/billing/create_setup_intent': { ...billing },
  // The samples name a card and a payment that no account has.
  'POST /core/v1/billing/set_auto_top_up': { ...billing, status: 404 },
  'POST /core/v1/billing/remove_auto_top_up': { ...billing },
  'GET /core/v1/billing/top_up_payment': { ...billing, status: 404 },
  'GET /core/v1/billing/receipt': { ...billing, names: true },
  // The signature of the sample is not valid for any wallet.
  'POST /core/v1/billing/webhook': { ...anyone, status: 400 },
  // The URL of the sample is private: an account can have few webhooks.
  'POST /core/v1/add_webhook': { ...billing, status: 400 },
  'GET /core/v1/list_webhooks': billing,
  'POST /core/v1/update_webhook': { ...billing, names: true },
  // The sample names a webhook that no account has.
  'POST /core/v1/remove_webhook': { ...billing, status: 404 },
  'POST /core/v1/test_webhook': { ...billing, names: true },
  'GET /core/v1/list_webhook_deliveries': { ...billing, names: true },
  'POST /core/v1/replay_webhook_deliveries': { ...billing, names: true },
  'GET /core/v1/get_node_chain_config': anyone,
  'GET /core/v1/get_api_payers': anyone,
  'GET /core/v1/get_admin_api_payer': anyone,
  'GET /core/v1/version': anyone,
  'GET /version': anyone,
  'GET /health': anyone,
  'GET /live': anyone,
  'GET /ready': anyone,
  'GET /operator/v1/status': { caller: 'operator' },
};

/** Accounts that a payer can write to. */
const isManaged: Record<AccountName, boolean> = {
  home: true,
  other: true,
  converted: false,
  chainSecured: false,
};

/** `statuses`: the accepted statuses. `account`: the account in whose name a permitted call is made. */
export type Expected = { statuses: number[]; account: AccountName | undefined };

const refused = (...statuses: number[]): Expected => ({ statuses, account: undefined });

/** Returns the expected reply to the sample request about the group `groupId` of the account `home`. */
export function expected(rule: Rule, caller: Caller, groupId: string): Expected {
  const { status = 200 } = rule;
  if (rule.caller === 'anyone') return refused(status);
  if (rule.caller === 'operator') return refused(401);
  if (rule.wallet && caller.wallet)
    return caller.wallet.kind === 'admin' ? ofAccount(rule, caller.wallet.account) : refused(401);
  const { key } = caller;
  if (rule.caller === 'keyText') {
    return refused(key.kind === 'none' ? 401 : 200);
  }
  if (key.kind !== 'account' && key.kind !== 'usage') return refused(401);
  const isFormer = !isManaged[key.account] && key.kind === 'account' && !rule.isKept;
  const isUnwritable = !isManaged[key.account] && rule.write;
  if (!mayCall(rule, key, groupId) || isFormer || isUnwritable) {
    // The sample of such a rule is refused before the contract asks who writes, and after the authenticator does.
    return refused((rule.write && key.kind === 'account' && !rule.notAccountKey && rule.status) || 403);
  }
  if (rule.namesRun && key.kind === 'usage' && !key.ownsRun) return { statuses: [404], account: key.account };
  return ofAccount(rule, key.account);
}

function ofAccount({ names, status = 200 }: Rule, account: AccountName): Expected {
  return { statuses: [names && account !== 'home' ? 404 : status], account };
}

function mayCall(
  rule: Rule,
  key: Extract<Caller['key'], { kind: 'account' | 'usage' }>,
  groupId: string,
): boolean {
  if (rule.caller === 'anyKey') return true;
  if (rule.caller === 'usageKey') return key.kind === 'usage';
  if (key.kind === 'account') return !rule.notAccountKey;
  switch (rule.caller) {
    case 'can_create_groups':
    case 'can_delete_groups':
    case 'can_create_pkps':
      return key.permissions[rule.caller] === true;
    case 'manage_ipfs_ids_in_groups':
    case 'add_pkp_to_groups':
    case 'remove_pkp_from_groups':
    case 'execute_in_groups':
      return (key.permissions[rule.caller] ?? []).some((id) => String(id) === '0' || id === groupId);
    default:
      return false;
  }
}
