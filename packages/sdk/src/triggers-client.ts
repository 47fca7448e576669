import {
  type BareTriggersClient,
  createBareTriggersClient,
  type TriggersParameters,
} from './bare-triggers-client.ts';
import { type BoundEach, bindEach } from './bind.ts';
import { type TriggerFunctions, triggerFunctions } from './generated/trigger-functions.ts';

/** The functions of a client of the trigger service. */
export interface TriggerOperations extends BoundEach<TriggerFunctions> {}

/** A client of the trigger service. */
export interface TriggersClient extends BareTriggersClient, TriggerOperations {}

/** Creates a client of the trigger service with all functions bound to it. */
export function createTriggersClient(parameters: TriggersParameters): TriggersClient {
  const client = createBareTriggersClient(parameters);
  const operations = bindEach(client, Object.entries(triggerFunctions())) as TriggerOperations;
  return { ...client, ...operations };
}
