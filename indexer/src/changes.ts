import { type Context, type Event, type EventNames, ponder } from 'ponder:registry';
import { apiPayers, changes, usageKeys } from 'ponder:schema';
import { accountConfigAbi } from '@latchkey/protocol';
import { type AbiEvent, type AbiParameter, getAddress, type Hex, numberToHex } from 'viem';

/** The events of accounts. */
type ChangeName = {
  [Name in EventNames]: Event<Name> extends { args: { masterApiKeyHash: bigint } } ? Name : never;
}[EventNames];

type Change = {
  args: { masterApiKeyHash: bigint; signer?: Hex };
  block: { number: bigint; timestamp: bigint };
  log: { logIndex: number };
  transaction: { from: Hex; hash: Hex; input: Hex };
};

const inputsOf = new Map(
  accountConfigAbi
    .filter((item): item is Extract<typeof item, AbiEvent> => item.type === 'event')
    .map(({ name, inputs }): [string, readonly AbiParameter[]] => [name, inputs]),
);

/** Adds each log of the event to the changes of its account, and then applies it to the tables. */
export function onChange<Name extends ChangeName>(
  name: Name,
  apply?: Parameters<typeof ponder.on<Name>>[1],
): void {
  ponder.on(name, async (args) => {
    const { context, event } = args as unknown as { context: Pick<Context, 'db'>; event: Change };
    await record(context.db, name.slice('AccountConfig:'.length), event);
    await apply?.(args);
  });
}

async function record(db: Context['db'], event: string, change: Change): Promise<void> {
  const { args, block, log, transaction } = change;
  // Each time, because Ponder loads the columns that the first logs of an event need.
  const { from: sender, hash: transactionHash, input } = transaction;
  const isPayer = (await db.find(apiPayers, { payer: sender })) !== null;
  const called = callerHash(input);
  const usageKey = isPayer && called !== 0n ? await db.find(usageKeys, { hash: called }) : null;
  const { masterApiKeyHash: masterHash } = args;
  const [, ...inputs] = inputsOf.get(event) ?? [];
  await db.insert(changes).values({
    masterHash,
    blockNumber: block.number,
    logIndex: log.logIndex,
    at: block.timestamp,
    transactionHash,
    event,
    data: JSON.stringify(fieldsToWire(inputs, args)),
    sender,
    isPayer,
    usageKeyHash: usageKey?.masterHash === masterHash ? called : null,
    signer: event === 'SignedWritesExecuted' ? args.signer : null,
  });
}

/** Returns the hash that a call of a write names its caller by: the first argument of every write of a payer but `multicall`. */
const callerHash = (input: Hex): bigint => (input.length < 74 ? 0n : BigInt(`0x${input.slice(10, 74)}`));

function fieldsToWire(parameters: readonly AbiParameter[], values: object): Record<string, unknown> {
  const byName = values as Record<string, unknown>;
  return Object.fromEntries(
    parameters.map((parameter) => {
      const { name = '' } = parameter;
      return [snakeCase(name), toWire(parameter, byName[name])];
    }),
  );
}

const snakeCase = (name: string): string =>
  name
    .replace('PKPs', 'Pkps')
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();

/** Hashes and paths are 32 bytes, all other numbers decimal. */
function toWire(parameter: AbiParameter, value: unknown): unknown {
  const { name = '', type } = parameter;
  if (type.endsWith('[]')) {
    const item = { ...parameter, type: type.slice(0, -2) };
    return (value as unknown[]).map((one) => toWire(item, one));
  }
  if ('components' in parameter) return fieldsToWire(parameter.components, value as object);
  if (typeof value === 'bigint')
    return /Hash(es)?$|Path$/.test(name) ? numberToHex(value, { size: 32 }) : value.toString();
  if (type === 'address') return getAddress(value as Hex);
  // As in the tables, because PostgreSQL cannot store NUL.
  return type === 'string' ? (value as string).replaceAll('\0', '') : value;
}
