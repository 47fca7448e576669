import * as triggers from '../triggers.ts';
import * as triggersAccess from '../triggers-access.ts';

export type TriggerFunctions = typeof triggers & typeof triggersAccess;
export const triggerFunctions = (): TriggerFunctions => ({
  createTrigger: triggers.createTrigger,
  deleteTrigger: triggers.deleteTrigger,
  getTrigger: triggers.getTrigger,
  getTriggerRun: triggers.getTriggerRun,
  getTriggersCaller: triggers.getTriggersCaller,
  listTriggerRuns: triggers.listTriggerRuns,
  listTriggers: triggers.listTriggers,
  replayTriggerRun: triggers.replayTriggerRun,
  replayTriggerRuns: triggers.replayTriggerRuns,
  searchTriggerRuns: triggers.searchTriggerRuns,
  stopTriggerRun: triggers.stopTriggerRun,
  testTrigger: triggers.testTrigger,
  updateTrigger: triggers.updateTrigger,
  approvePairing: triggersAccess.approvePairing,
  denyPairing: triggersAccess.denyPairing,
  listAgents: triggersAccess.listAgents,
  logOutOfTriggers: triggersAccess.logOutOfTriggers,
  reviewPairing: triggersAccess.reviewPairing,
  revokeAgent: triggersAccess.revokeAgent,
});
