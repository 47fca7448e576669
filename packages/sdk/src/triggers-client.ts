import {
  type BareTriggersClient,
  createBareTriggersClient,
  type TriggersParameters,
} from './bare-triggers-client.ts';
import { bind } from './bind.ts';
import type { BoundAsk, BoundList } from './client.ts';
import type { CallOptions } from './deadline.ts';
import type { Page } from './pages.ts';
import * as triggers from './triggers.ts';
import * as access from './triggers-access.ts';
import type { WriteOptions } from './write.ts';

/** A bound call with parameters. */
export type BoundCall<Parameters, Result, Options = CallOptions> = (
  parameters: Parameters,
  options?: Options,
) => Promise<Result>;

/** The functions of a client of the trigger service. */
export interface TriggerOperations {
  /** See {@link triggers.createTrigger | createTrigger}. */
  createTrigger: BoundCall<triggers.CreateTriggerParameters, triggers.ChangedTrigger, WriteOptions>;
  /** See {@link triggers.listTriggers | listTriggers}. */
  listTriggers: BoundList<triggers.OffsetPageParameters, triggers.Trigger>;
  /** See {@link triggers.getTrigger | getTrigger}. */
  getTrigger: BoundCall<triggers.TriggerIdParameters, triggers.Trigger>;
  /** See {@link triggers.updateTrigger | updateTrigger}. */
  updateTrigger: BoundCall<triggers.UpdateTriggerParameters, triggers.ChangedTrigger>;
  /** See {@link triggers.deleteTrigger | deleteTrigger}. */
  deleteTrigger: BoundCall<triggers.TriggerIdParameters, void>;
  /** See {@link triggers.testTrigger | testTrigger}. */
  testTrigger: BoundCall<triggers.TestTriggerParameters, triggers.QueuedTriggerRun, WriteOptions>;
  /** See {@link triggers.listTriggerRuns | listTriggerRuns}. */
  listTriggerRuns: BoundCall<
    triggers.ListTriggerRunsParameters,
    Page<triggers.TriggerRun, triggers.ListTriggerRunsParameters>
  >;
  /** See {@link triggers.searchTriggerRuns | searchTriggerRuns}. */
  searchTriggerRuns: BoundList<triggers.SearchTriggerRunsParameters, triggers.TriggerRun>;
  /** See {@link triggers.getTriggerRun | getTriggerRun}. */
  getTriggerRun: BoundCall<triggers.TriggerRunIdParameters, triggers.TriggerRunDetails>;
  /** See {@link triggers.stopTriggerRun | stopTriggerRun}. */
  stopTriggerRun: BoundCall<triggers.TriggerRunIdParameters, triggers.TriggerRun, WriteOptions>;
  /** See {@link triggers.replayTriggerRun | replayTriggerRun}. */
  replayTriggerRun: BoundCall<triggers.ReplayTriggerRunParameters, triggers.QueuedTriggerRun, WriteOptions>;
  /** See {@link triggers.replayTriggerRuns | replayTriggerRuns}. */
  replayTriggerRuns: BoundCall<
    triggers.ReplayTriggerRunsParameters,
    triggers.ReplayTriggerRunsResult,
    WriteOptions
  >;
  /** See {@link triggers.getTriggersCaller | getTriggersCaller}. */
  getTriggersCaller: BoundAsk<triggers.TriggersCaller>;
  /** See {@link access.logOutOfTriggers | logOutOfTriggers}. */
  logOutOfTriggers: BoundAsk<void>;
  /** See {@link access.listAgents | listAgents}. */
  listAgents: BoundAsk<access.Agent[]>;
  /** See {@link access.revokeAgent | revokeAgent}. */
  revokeAgent: BoundCall<access.AgentIdParameters, void>;
  /** See {@link access.reviewPairing | reviewPairing}. */
  reviewPairing: BoundCall<access.PairingCodeParameters, access.Pairing>;
  /** See {@link access.approvePairing | approvePairing}. */
  approvePairing: BoundCall<access.PairingCodeParameters, void, WriteOptions>;
  /** See {@link access.denyPairing | denyPairing}. */
  denyPairing: BoundCall<access.PairingCodeParameters, void, WriteOptions>;
}

/** A client of the trigger service. */
export interface TriggersClient extends BareTriggersClient, TriggerOperations {}

/** Creates a client of the trigger service with all functions bound to it. */
export function createTriggersClient(parameters: TriggersParameters): TriggersClient {
  const client = createBareTriggersClient(parameters);
  return { ...client, ...bind<BareTriggersClient, TriggerOperations>(client, { ...triggers, ...access }) };
}
