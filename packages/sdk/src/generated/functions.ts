import * as acceptance from '../acceptance.ts';
import * as accountExport from '../account-export.ts';
import * as accountHistory from '../account-history.ts';
import * as accounts from '../accounts.ts';
import * as actionCodes from '../action-codes.ts';
import * as actions from '../actions.ts';
import * as approvals from '../approvals.ts';
import * as autoTopUp from '../auto-top-up.ts';
import * as billing from '../billing.ts';
import * as chainInformation from '../chain-information.ts';
import * as explainExecution from '../explain-execution.ts';
import * as groupMembers from '../group-members.ts';
import * as groups from '../groups.ts';
import * as runRecords from '../run-records.ts';
import * as runs from '../runs.ts';
import * as secrets from '../secrets.ts';
import * as transactions from '../transactions.ts';
import * as usageKeySettings from '../usage-key-settings.ts';
import * as usageKeys from '../usage-keys.ts';
import * as wallets from '../wallets.ts';
import * as webhooks from '../webhooks.ts';

export type Functions = typeof acceptance & typeof accountExport & typeof accountHistory & typeof accounts & typeof actionCodes & typeof actions & typeof approvals & typeof autoTopUp & typeof billing & typeof chainInformation & typeof explainExecution & typeof groupMembers & typeof groups & typeof runRecords & typeof runs & typeof secrets & typeof transactions & typeof usageKeySettings & typeof usageKeys & typeof wallets & typeof webhooks;
export const functions = (): Functions => ({
  acceptAccount: acceptance.acceptAccount,
  accountState: acceptance.accountState,
  cancelNonce: acceptance.cancelNonce,
  cancelTransfer: acceptance.cancelTransfer,
  exportAccount: accountExport.exportAccount,
  listAccountChanges: accountHistory.listAccountChanges,
  listRequests: accountHistory.listRequests,
  accountExists: accounts.accountExists,
  convertToChainSecuredAccount: accounts.convertToChainSecuredAccount,
  newAccount: accounts.newAccount,
  retireAccount: accounts.retireAccount,
  rotateAccountKey: accounts.rotateAccountKey,
  transferOwnership: accounts.transferOwnership,
  deleteActionCode: actionCodes.deleteActionCode,
  getActionCode: actionCodes.getActionCode,
  listActionCodes: actionCodes.listActionCodes,
  storeActionCode: actionCodes.storeActionCode,
  addAction: actions.addAction,
  deleteAction: actions.deleteAction,
  listActions: actions.listActions,
  updateActionMetadata: actions.updateActionMetadata,
  approveRun: approvals.approveRun,
  cancelApproval: approvals.cancelApproval,
  getApproval: approvals.getApproval,
  listApprovals: approvals.listApprovals,
  refuseRun: approvals.refuseRun,
  createSetupIntent: autoTopUp.createSetupIntent,
  getAutoTopUp: autoTopUp.getAutoTopUp,
  getTopUpPayment: autoTopUp.getTopUpPayment,
  removeAutoTopUp: autoTopUp.removeAutoTopUp,
  setAutoTopUp: autoTopUp.setAutoTopUp,
  confirmPayment: billing.confirmPayment,
  createPaymentIntent: billing.createPaymentIntent,
  getBalance: billing.getBalance,
  getPaymentReceipt: billing.getPaymentReceipt,
  getProcessorConfig: billing.getProcessorConfig,
  listLedger: billing.listLedger,
  getAdminApiPayer: chainInformation.getAdminApiPayer,
  getApiPayers: chainInformation.getApiPayers,
  getNodeChainConfig: chainInformation.getNodeChainConfig,
  getSvcActionClientConfig: chainInformation.getSvcActionClientConfig,
  getVersion: chainInformation.getVersion,
  explainExecution: explainExecution.explainExecution,
  addActionToGroup: groupMembers.addActionToGroup,
  addPkpToGroup: groupMembers.addPkpToGroup,
  addToGroup: groupMembers.addToGroup,
  removeActionFromGroup: groupMembers.removeActionFromGroup,
  removeFromGroup: groupMembers.removeFromGroup,
  removePkpFromGroup: groupMembers.removePkpFromGroup,
  addGroup: groups.addGroup,
  listGroups: groups.listGroups,
  removeGroup: groups.removeGroup,
  updateGroup: groups.updateGroup,
  getRun: runRecords.getRun,
  listRuns: runRecords.listRuns,
  stopRun: runRecords.stopRun,
  continueRun: runs.continueRun,
  getSvcActionIpfsId: runs.getSvcActionIpfsId,
  runAction: runs.runAction,
  sendTransaction: runs.sendTransaction,
  deleteSecret: secrets.deleteSecret,
  listSecretEvents: secrets.listSecretEvents,
  listSecrets: secrets.listSecrets,
  setSecret: secrets.setSecret,
  cancelTransaction: transactions.cancelTransaction,
  followTransactions: transactions.followTransactions,
  getTransaction: transactions.getTransaction,
  listTransactions: transactions.listTransactions,
  removeAllUsageApiKeys: usageKeySettings.removeAllUsageApiKeys,
  removeUsageApiKey: usageKeySettings.removeUsageApiKey,
  rotateUsageApiKey: usageKeySettings.rotateUsageApiKey,
  setUsageApiKeyExpiration: usageKeySettings.setUsageApiKeyExpiration,
  setUsageApiKeyRecording: usageKeySettings.setUsageApiKeyRecording,
  updateUsageApiKeyMetadata: usageKeySettings.updateUsageApiKeyMetadata,
  addUsageApiKey: usageKeys.addUsageApiKey,
  listApiKeys: usageKeys.listApiKeys,
  updateUsageApiKey: usageKeys.updateUsageApiKey,
  createWallet: wallets.createWallet,
  listWallets: wallets.listWallets,
  listWalletsInGroup: wallets.listWalletsInGroup,
  addWebhook: webhooks.addWebhook,
  listWebhookDeliveries: webhooks.listWebhookDeliveries,
  listWebhooks: webhooks.listWebhooks,
  removeWebhook: webhooks.removeWebhook,
  replayWebhookDeliveries: webhooks.replayWebhookDeliveries,
  testWebhook: webhooks.testWebhook,
  updateWebhook: webhooks.updateWebhook,
});
