import * as triggerAlerts from '../trigger-alerts.ts';
import * as triggerExport from '../trigger-export.ts';
import * as triggerForms from '../trigger-forms.ts';
import * as triggerRuns from '../trigger-runs.ts';
import * as triggers from '../triggers.ts';
import * as triggersAccess from '../triggers-access.ts';

export type TriggerFunctions = typeof triggerAlerts & typeof triggerExport & typeof triggerForms & typeof triggerRuns & typeof triggers & typeof triggersAccess;
export const triggerFunctions = (): TriggerFunctions => ({
  getAlerts: triggerAlerts.getAlerts,
  listAlertDeliveries: triggerAlerts.listAlertDeliveries,
  removeAlerts: triggerAlerts.removeAlerts,
  replayAlerts: triggerAlerts.replayAlerts,
  setAlerts: triggerAlerts.setAlerts,
  testAlerts: triggerAlerts.testAlerts,
  exportTriggers: triggerExport.exportTriggers,
  listWebhookSenders: triggerForms.listWebhookSenders,
  previewSchedule: triggerForms.previewSchedule,
  getTriggerRun: triggerRuns.getTriggerRun,
  listTriggerRuns: triggerRuns.listTriggerRuns,
  replayTriggerRun: triggerRuns.replayTriggerRun,
  replayTriggerRuns: triggerRuns.replayTriggerRuns,
  searchTriggerRuns: triggerRuns.searchTriggerRuns,
  stopTriggerRun: triggerRuns.stopTriggerRun,
  testTrigger: triggerRuns.testTrigger,
  createTrigger: triggers.createTrigger,
  deleteTrigger: triggers.deleteTrigger,
  getTrigger: triggers.getTrigger,
  getTriggersCaller: triggers.getTriggersCaller,
  listTriggers: triggers.listTriggers,
  updateTrigger: triggers.updateTrigger,
  approvePairing: triggersAccess.approvePairing,
  denyPairing: triggersAccess.denyPairing,
  listAgents: triggersAccess.listAgents,
  logOutOfTriggers: triggersAccess.logOutOfTriggers,
  reviewPairing: triggersAccess.reviewPairing,
  revokeAgent: triggersAccess.revokeAgent,
});
