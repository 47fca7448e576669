import { accountAdmin } from './accounts/account_admin.ts';
import { accountExists } from './accounts/account_exists.ts';
import { convertToChainSecuredAccount } from './accounts/convert_to_chain_secured_account.ts';
import { exportAccount } from './accounts/export_account.ts';
import { listAccountChanges } from './accounts/list_account_changes.ts';
import { newAccount } from './accounts/new_account.ts';
import { newAccountChallenge } from './accounts/new_account_challenge.ts';
import { requests } from './accounts/requests.ts';
import { retireAccount } from './accounts/retire_account.ts';
import { rotateAccountKey } from './accounts/rotate_account_key.ts';
import { submitSignedWrite } from './accounts/submit_signed_write.ts';
import { addAction } from './actions/add_action.ts';
import { deleteAction } from './actions/delete_action.ts';
import { explainExecution } from './actions/explain_execution.ts';
import { getSvcActionClientConfig } from './actions/get_svc_action_client_config.ts';
import { getSvcActionIpfsId } from './actions/get_svc_action_ipfs_id.ts';
import { listActions } from './actions/list_actions.ts';
import { sendTransaction } from './actions/send_transaction.ts';
import { svcAction } from './actions/svc_action.ts';
import { updateActionMetadata } from './actions/update_action_metadata.ts';
import { approve } from './approvals/approve.ts';
import { cancelApproval } from './approvals/cancel_approval.ts';
import { getApproval } from './approvals/get_approval.ts';
import { listApprovals } from './approvals/list_approvals.ts';
import { refuseApproval } from './approvals/refuse_approval.ts';
import { autoTopUp } from './billing/auto_top_up.ts';
import { balance } from './billing/balance.ts';
import { confirmPayment } from './billing/confirm_payment.ts';
import { createPaymentIntent } from './billing/create_payment_intent.ts';
import { createSetupIntent } from './billing/create_setup_intent.ts';
import { ledger } from './billing/ledger.ts';
import { processorConfig } from './billing/processor_config.ts';
import { receipt } from './billing/receipt.ts';
import { removeAutoTopUp } from './billing/remove_auto_top_up.ts';
import { setAutoTopUp } from './billing/set_auto_top_up.ts';
import { topUpPayment } from './billing/top_up_payment.ts';
import { webhook } from './billing/webhook.ts';
import { getAdminApiPayer } from './chain/get_admin_api_payer.ts';
import { getApiPayers } from './chain/get_api_payers.ts';
import { getNodeChainConfig } from './chain/get_node_chain_config.ts';
import { addActionToGroup } from './groups/add_action_to_group.ts';
import { addGroup } from './groups/add_group.ts';
import { addPkpToGroup } from './groups/add_pkp_to_group.ts';
import { addToGroup } from './groups/add_to_group.ts';
import { listGroups } from './groups/list_groups.ts';
import { removeActionFromGroup } from './groups/remove_action_from_group.ts';
import { removeFromGroup } from './groups/remove_from_group.ts';
import { removeGroup } from './groups/remove_group.ts';
import { removePkpFromGroup } from './groups/remove_pkp_from_group.ts';
import { updateGroup } from './groups/update_group.ts';
import { status } from './operator/status.ts';
import { getRun } from './runs/get_run.ts';
import { listRuns } from './runs/list_runs.ts';
import { stopRun } from './runs/stop_run.ts';
import { deleteSecret } from './secrets/delete_secret.ts';
import { listSecretEvents } from './secrets/list_secret_events.ts';
import { listSecrets } from './secrets/list_secrets.ts';
import { setSecret } from './secrets/set_secret.ts';
import { health, live, ready } from './service/health.ts';
import { version, versionOutsideOfPrefix } from './service/version.ts';
import { actionCode } from './stored-codes/action_code.ts';
import { deleteActionCode } from './stored-codes/delete_action_code.ts';
import { listActionCodes } from './stored-codes/list_action_codes.ts';
import { storeActionCode } from './stored-codes/store_action_code.ts';
import { cancelTransaction } from './transactions/cancel_transaction.ts';
import { transaction } from './transactions/transaction.ts';
import { transactionEvents } from './transactions/transaction_events.ts';
import { transactions } from './transactions/transactions.ts';
import { addUsageApiKey } from './usage-keys/add_usage_api_key.ts';
import { addUsageApiKeyWithSignature } from './usage-keys/add_usage_api_key_with_signature.ts';
import { listApiKeys } from './usage-keys/list_api_keys.ts';
import { removeAllUsageApiKeys } from './usage-keys/remove_all_usage_api_keys.ts';
import { removeUsageApiKey } from './usage-keys/remove_usage_api_key.ts';
import { rotateUsageApiKey } from './usage-keys/rotate_usage_api_key.ts';
import { setUsageApiKeyExpiration } from './usage-keys/set_usage_api_key_expiration.ts';
import { setUsageApiKeyRecording } from './usage-keys/set_usage_api_key_recording.ts';
import { updateUsageApiKey } from './usage-keys/update_usage_api_key.ts';
import { updateUsageApiKeyMetadata } from './usage-keys/update_usage_api_key_metadata.ts';
import { createWallet, createWalletByGet } from './wallets/create_wallet.ts';
import { createWalletWithSignature } from './wallets/create_wallet_with_signature.ts';
import { keyReleases } from './wallets/key_releases.ts';
import { listWallets } from './wallets/list_wallets.ts';
import { listWalletsInGroup } from './wallets/list_wallets_in_group.ts';
import { addWebhook } from './webhooks/add_webhook.ts';
import { listWebhookDeliveries } from './webhooks/list_webhook_deliveries.ts';
import { listWebhooks } from './webhooks/list_webhooks.ts';
import { removeWebhook } from './webhooks/remove_webhook.ts';
import { replayWebhookDeliveries } from './webhooks/replay_webhook_deliveries.ts';
import { testWebhook } from './webhooks/test_webhook.ts';
import { updateWebhook } from './webhooks/update_webhook.ts';

export const routes = [
  newAccount,
  newAccountChallenge,
  accountExists,
  accountAdmin,
  exportAccount,
  listAccountChanges,
  requests,
  convertToChainSecuredAccount,
  rotateAccountKey,
  retireAccount,
  submitSignedWrite,
  addUsageApiKey,
  addUsageApiKeyWithSignature,
  listApiKeys,
  updateUsageApiKey,
  updateUsageApiKeyMetadata,
  removeUsageApiKey,
  removeAllUsageApiKeys,
  rotateUsageApiKey,
  setUsageApiKeyExpiration,
  setUsageApiKeyRecording,
  addGroup,
  listGroups,
  updateGroup,
  removeGroup,
  addActionToGroup,
  removeActionFromGroup,
  addPkpToGroup,
  removePkpFromGroup,
  addToGroup,
  removeFromGroup,
  addAction,
  listActions,
  updateActionMetadata,
  deleteAction,
  storeActionCode,
  listActionCodes,
  actionCode,
  deleteActionCode,
  createWallet,
  createWalletByGet,
  createWalletWithSignature,
  keyReleases,
  listWallets,
  listWalletsInGroup,
  setSecret,
  listSecrets,
  listSecretEvents,
  deleteSecret,
  svcAction,
  sendTransaction,
  listRuns,
  getRun,
  stopRun,
  transactions,
  transactionEvents,
  transaction,
  cancelTransaction,
  listApprovals,
  getApproval,
  approve,
  refuseApproval,
  cancelApproval,
  explainExecution,
  getSvcActionClientConfig,
  getSvcActionIpfsId,
  processorConfig,
  balance,
  ledger,
  createPaymentIntent,
  confirmPayment,
  autoTopUp,
  createSetupIntent,
  setAutoTopUp,
  removeAutoTopUp,
  topUpPayment,
  receipt,
  webhook,
  addWebhook,
  listWebhooks,
  updateWebhook,
  removeWebhook,
  testWebhook,
  listWebhookDeliveries,
  replayWebhookDeliveries,
  getNodeChainConfig,
  getApiPayers,
  getAdminApiPayer,
  version,
  versionOutsideOfPrefix,
  live,
  ready,
  health,
  status,
] as const;
