/** `factory` of a chain-event trigger. */
import { badRequest } from '@latchkey/http';
import { z } from 'zod';
import type { Factory } from './chain-config.ts';
import { MAX_SIGNATURE_CHARACTERS, parseBlock, parseContract, parseEvent } from './chain-fields.ts';
import { toTopic0 } from './event-signature.ts';

/** Triggers with a factory per account: each can have thousands of children in memory. */
export const FACTORIES = {
  kind: 'chain_event',
  field: 'factory',
  max: 10,
  fix: 'Delete one of them, or give its contracts by contract_addresses.',
} as const;
const MAX_PARAMETER_CHARACTERS = 200;

export const factoryForm = z.strictObject({
  address: z.string(),
  event: z.string().max(MAX_SIGNATURE_CHARACTERS),
  parameter: z.string().min(1).max(MAX_PARAMETER_CHARACTERS),
  start_block: z.union([z.number(), z.string()]).nullish(),
});

/** A factory whose `start_block` can be absent. */
type Accepted = Omit<Factory, 'start_block'> & { start_block: number | undefined };

/** Throws 400 for a malformed factory. */
export function parseFactory({ start_block, ...wire }: z.output<typeof factoryForm>): Accepted {
  const event = parseEvent(wire.event, 'factory.event');
  const found = event.inputs.filter(
    ({ name }, position) => wire.parameter === name || wire.parameter === `arg${position}`,
  );
  if (found.length !== 1)
    throw badRequest(
      'body.config.factory.parameter: expected the name of one argument of the event, or arg0, arg1, …',
    );
  if (found[0]?.type !== 'address')
    throw badRequest(
      `body.config.factory.parameter: expected an argument of the type address, not ${found[0]?.type}.`,
    );
  return {
    address: parseContract(wire.address, 'factory.address'),
    event: wire.event,
    parameter: wire.parameter,
    start_block: start_block == null ? undefined : parseBlock(start_block, 'factory.start_block'),
  };
}

/** Returns whether two factories have the same children, apart from their first blocks. */
export function isSameFactory(
  one: Omit<Factory, 'start_block'>,
  other: Omit<Factory, 'start_block'> | undefined,
): boolean {
  if (!other) return false;
  const [first, second] = [one, other].map(({ address, event, parameter }) =>
    JSON.stringify([address.toLowerCase(), toTopic0(parseEvent(event, 'factory.event')), parameter]),
  );
  return first === second;
}
