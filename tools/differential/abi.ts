/** Encodes and decodes calls, results, errors and events by the ABI of the interface. */
import { accountConfigAbi } from '@latchkey/protocol';
import {
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
  concatHex,
  decodeAbiParameters,
  decodeEventLog,
  encodeAbiParameters,
  type Hex,
  toEventSelector,
  toFunctionSelector,
} from 'viem';
import type { Signed } from './signatures.ts';

/**
 * A call of a function by its name. In the place of calldata `multicall`, `executeSigned` and `hashSignedWrites` take
 * calls, in that of the signature `executeSigned` takes a `Signed`. The argument of `unknownFunction` is calldata.
 */
export interface Call {
  name: string;
  args: unknown[];
}

/** An event or an error, with its arguments in the order of the ABI. */
export interface Named {
  name: string;
  args: unknown[];
}

export interface Log {
  topics: Hex[];
  data: Hex;
}

interface Item {
  selector: Hex;
  inputs: readonly AbiParameter[];
}

interface FunctionItem extends Item {
  outputs: readonly AbiParameter[];
  isView: boolean;
}

const functions = new Map<string, FunctionItem>();
const errors = new Map<string, Item & { name: string }>();
const events = new Map<string, AbiEvent>();
for (const item of accountConfigAbi) {
  if (item.type === 'function') {
    const isView = item.stateMutability !== 'nonpayable';
    functions.set(item.name, { selector: toFunctionSelector(item), ...item, isView });
  } else if (item.type === 'error') {
    // The selector of an error is computed like that of a function.
    const selector = toFunctionSelector({ ...item, type: 'function' } as unknown as AbiFunction);
    errors.set(selector, { selector, ...item });
  } else if (item.type === 'event') {
    events.set(toEventSelector(item), item);
  }
}

export const functionNames = [...functions.keys()];
export const errorNames = [...errors.values()].map(({ name }) => name);
export const eventNames = [...events.values()].map(({ name }) => name);

function functionOf(name: string): FunctionItem {
  const found = functions.get(name);
  if (found === undefined) throw new Error(`no function ${name}`);
  return found;
}

export function isView(name: string): boolean {
  return functions.get(name)?.isView ?? false;
}

export function encodeCall({ name, args }: Call): Hex {
  if (name === 'unknownFunction') return args[0] as Hex;
  const { selector, inputs } = functionOf(name);
  return concatHex([selector, encodeAbiParameters(inputs, args.map(encodeArgument))]);
}

function encodeArgument(argument: unknown): unknown {
  if (Array.isArray(argument) && isCall(argument[0])) return argument.map(encodeCall);
  return isSigned(argument) ? argument.signature : argument;
}

const isCall = (value: unknown) => typeof value === 'object' && value !== null && 'name' in value;
const isSigned = (value: unknown): value is Signed =>
  typeof value === 'object' && value !== null && 'signature' in value;

export function encodeResult(name: string, values: unknown[]): Hex {
  return encodeAbiParameters(functionOf(name).outputs, values);
}

export function decodeResult(name: string, data: Hex): readonly unknown[] {
  const { outputs } = functionOf(name);
  return outputs.length === 0 && data === '0x' ? [] : decodeAbiParameters(outputs, data);
}

/** Decodes the error of a revert; data of an error that is not in the interface is called `unnamed`. */
export function decodeError(data: Hex): Named {
  const item = errors.get(data.slice(0, 10));
  if (item === undefined) return { name: 'unnamed', args: [data] };
  return { name: item.name, args: [...decodeAbiParameters(item.inputs, `0x${data.slice(10)}`)] };
}

export function decodeEvent({ topics, data }: Log): Named {
  const item = events.get(topics[0] ?? '');
  if (item === undefined) throw new Error(`an unknown event: ${topics[0]}`);
  const { args } = decodeEventLog({ abi: [item], topics: topics as [Hex, ...Hex[]], data });
  const values = (args ?? {}) as unknown as Record<string, unknown>;
  return { name: item.name, args: item.inputs.map(({ name }) => values[name ?? '']) };
}
