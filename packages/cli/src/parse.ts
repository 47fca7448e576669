/** Parsers of arguments and options. Each throws a `UsageError` that names what it takes. */
import { readFile } from 'node:fs/promises';
import { parseCid } from '@latchkey/protocol';
import { type Address, getAddress, type Hex, isAddress } from 'viem';
import { UsageError } from './errors.ts';

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

export function parseGroup(text: string): bigint {
  if (/^\d{1,78}$/.test(text)) return BigInt(text);
  throw new UsageError(`"${shorten(text)}" is not the id of a group, such as 1`, 'See latchkey groups list.');
}

/** A hash. The text of a key is refused and not repeated: it would be in the history of the shell. */
export function parseHash(text: string): bigint {
  if (/^0x[0-9a-fA-F]{64}$/.test(text) || /^\d{1,78}$/.test(text)) return BigInt(text);
  throw new UsageError('expected a hash: 0x and 64 hex digits', 'Give the hash of a key, never the key.');
}

export function isCid(text: string): boolean {
  try {
    parseCid(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns a parser of one of several words. */
export function oneOf<const Word extends string>(...words: readonly Word[]) {
  return (text: string): Word => {
    const word = words.find((one) => one === text);
    if (word !== undefined) return word;
    throw new UsageError(`"${shorten(text)}" is not one of ${words.join(', ')}`);
  };
}

/** A CID, or its hash from a list. `any` is every action. */
export function parseAction(text: string): string | bigint {
  if (text === 'any') return 0n;
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return BigInt(text);
  if (isCid(text)) return text;
  throw new UsageError(
    `"${shorten(text)}" is not a CID, the hash of one, or "any"`,
    'See latchkey actions list, or latchkey actions cid <file>.',
  );
}

export function parseCidText(text: string): string {
  if (isCid(text)) return text;
  throw new UsageError(`"${shorten(text)}" is not a CID`, 'See latchkey actions cid <file>.');
}

/** An address. `any` is every wallet. */
export function parseWallet(text: string): Address {
  if (text === 'any') return `0x${'0'.repeat(40)}`;
  if (isAddress(text, { strict: false })) return getAddress(text);
  throw new UsageError(`"${shorten(text)}" is not an address, or "any"`, 'See latchkey wallets list.');
}

export function parseAddress(text: string): Address {
  if (isAddress(text, { strict: false })) return getAddress(text);
  throw new UsageError(`"${shorten(text)}" is not an address`);
}

export function parsePublicKey(text: string): Hex {
  if (/^0x04[0-9a-fA-F]{128}$/.test(text)) return text as Hex;
  throw new UsageError('expected a public key: 0x04 and 128 hex digits, as latchkey wallets add prints it');
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count)) return count;
  throw new UsageError(`"${shorten(text)}" is not a whole number`);
}

export function parseTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`"${shorten(text)}" is not a time, such as 2027-01-31T12:00:00Z`);
  return time;
}

/** Unix seconds of a time; 0 for `never`. */
export function parseExpiration(text: string): bigint {
  return text === 'never' ? 0n : BigInt(Math.floor(parseTime(text).getTime() / 1_000));
}

export function parseUrl(text: string, source = ''): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password)
    return text.replace(/\/+$/, '');
  throw new UsageError(`${source}expected an http or https URL without user and password`);
}

/** `<name>=<value>`: JSON, or text when it is not JSON. */
export function parseParameter(text: string): [name: string, value: unknown] {
  const split = text.indexOf('=');
  if (split < 1) throw new UsageError(`expected <name>=<value>, not "${shorten(text)}"`);
  const value = text.slice(split + 1);
  try {
    return [text.slice(0, split), JSON.parse(value)];
  } catch {
    return [text.slice(0, split), value];
  }
}

export type JsonObject = { [name: string]: unknown };

/** Reads a text file. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `${path}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : 'cannot be read'}`,
    );
  }
}

export async function readJsonObject(path: string): Promise<JsonObject> {
  const text = await readText(path);
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${path}: expected a JSON object`);
}

/** Returns the parameters of a file, and of `--param`, which come first. */
export async function readParameters(
  path: string | undefined,
  given: readonly (readonly [string, unknown])[],
): Promise<JsonObject> {
  return { ...(path !== undefined && (await readJsonObject(path))), ...Object.fromEntries(given) };
}
