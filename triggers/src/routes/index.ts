import { complete } from './agent/complete.ts';
import { pair } from './agent/pair.ts';
import { revoke } from './agent/revoke.ts';
import { deleteAgent } from './agents/delete_agent.ts';
import { listAgents } from './agents/list_agents.ts';
import { deleteAlerts } from './alerts/delete_alerts.ts';
import { getAlerts } from './alerts/get_alerts.ts';
import { listAlertDeliveries } from './alerts/list_deliveries.ts';
import { putAlerts } from './alerts/put_alerts.ts';
import { replayAlerts } from './alerts/replay.ts';
import { testAlerts } from './alerts/test_alerts.ts';
import { health, live, ready } from './health.ts';
import { login } from './login/login.ts';
import { logout } from './login/logout.ts';
import { loginMessage } from './login/message.ts';
import { me } from './me.ts';
import { approvePairing } from './pairings/approve.ts';
import { denyPairing } from './pairings/deny.ts';
import { reviewPairing } from './pairings/review.ts';
import { getRun } from './runs/get_run.ts';
import { replayRun } from './runs/replay_run.ts';
import { searchRuns } from './runs/search_runs.ts';
import { stopRun } from './runs/stop_run.ts';
import { createTrigger } from './triggers/create_trigger.ts';
import { deleteTrigger } from './triggers/delete_trigger.ts';
import { getTrigger } from './triggers/get_trigger.ts';
import { listRuns } from './triggers/list_runs.ts';
import { listSenders } from './triggers/list_senders.ts';
import { listTriggers } from './triggers/list_triggers.ts';
import { previewSchedule } from './triggers/preview_schedule.ts';
import { replayTrigger } from './triggers/replay_trigger.ts';
import { testTrigger } from './triggers/test_trigger.ts';
import { updateTrigger } from './triggers/update_trigger.ts';
import { verifyWebhook } from './verify_webhook.ts';
import { putWebhook, webhook } from './webhook.ts';

const ofPeople = [
  loginMessage,
  login,
  logout,
  listAgents,
  deleteAgent,
  reviewPairing,
  approvePairing,
  denyPairing,
] as const;

const ofTriggers = [
  createTrigger,
  listTriggers,
  getTrigger,
  updateTrigger,
  deleteTrigger,
  testTrigger,
  previewSchedule,
  listSenders,
  listRuns,
  replayTrigger,
  searchRuns,
  getRun,
  replayRun,
  stopRun,
] as const;

const ofAlerts = [putAlerts, getAlerts, deleteAlerts, testAlerts, listAlertDeliveries, replayAlerts] as const;
export const routes = [
  pair,
  complete,
  revoke,
  me,
  ...ofPeople,
  ...ofTriggers,
  ...ofAlerts,
  webhook,
  putWebhook,
  verifyWebhook,
  live,
  ready,
  health,
] as const;
