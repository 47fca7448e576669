/** Checks and normalizes the values of requests, which are hostile. */

export class RequestError extends Error {
  override readonly name = 'RequestError';
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the object, and refuses fields other than these. */
export function readObject(value: unknown, field: string, names: readonly string[]): Record<string, unknown> {
  if (!isRecord(value)) throw new RequestError(`${field} is not an object`);
  for (const name of Object.keys(value))
    if (!names.includes(name)) throw new RequestError(`${field} has the unknown field ${name.slice(0, 100)}`);
  return value;
}

const MAX_QUANTITY = 1n << 256n;

/** Accepts safe integers and text in decimal or hex digits. */
export function readQuantity(value: unknown, field: string): bigint {
  const isNumber = Number.isSafeInteger(value) && (value as number) >= 0;
  const isText = typeof value === 'string' && /^(0|[1-9]\d{0,77}|0x[0-9a-fA-F]{1,64})$/.test(value);
  const quantity = isNumber || isText ? BigInt(value as number | string) : MAX_QUANTITY;
  if (quantity >= MAX_QUANTITY)
    throw new RequestError(`${field} is not a quantity: send an integer, or text in decimal or hex digits`);
  return quantity;
}

/** Accepts also negative integers, for `int` types. */
export function readInteger(value: unknown, field: string): bigint {
  const isNegative =
    typeof value === 'string' ? value.startsWith('-') : typeof value === 'number' && value < 0;
  if (!isNegative) return readQuantity(value, field);
  return -readQuantity(typeof value === 'string' ? value.slice(1) : -(value as number), field);
}

export function readIndex(value: unknown, field: string): number {
  const quantity = readQuantity(value, field);
  if (quantity > BigInt(Number.MAX_SAFE_INTEGER)) throw new RequestError(`${field} is too large`);
  return Number(quantity);
}

/** Returns the address in lower case. */
export function readAddress(value: unknown, field: string): string {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value))
    throw new RequestError(`${field} is not an address: send 0x and 40 hex digits`);
  return value.toLowerCase();
}

/** Returns the bytes as 0x and hex digits in lower case. */
export function readBytes(value: unknown, field: string, length?: number): string {
  if (typeof value !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(value))
    throw new RequestError(`${field} is not hex: send 0x and pairs of hex digits`);
  if (length !== undefined && value.length !== 2 + 2 * length)
    throw new RequestError(`${field} does not have ${length} bytes`);
  return value.toLowerCase();
}

export function readText(value: unknown, field: string): string {
  if (typeof value !== 'string') throw new RequestError(`${field} is not text`);
  return value;
}

export const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from({ length: (hex.length - 2) / 2 }, (_, i) => Number.parseInt(hex.substr(2 + 2 * i, 2), 16));

export const hexOf = (bytes: Uint8Array): string =>
  `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns undefined for bytes that are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
