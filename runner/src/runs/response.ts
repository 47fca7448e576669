import { ActionError } from '@latchkey/runner-protocol';
import { ProtocolViolation } from './protocol.ts';

/** Deeper values could exhaust the stack of a serialiser. */
const MAX_DEPTH = 500;

/**
 * Returns the response from its JSON: `''` for none, and the parsed value for a string that is JSON itself. Its size is
 * the size of the text for a string, otherwise of its JSON.
 */
export const readResponse = (json: Uint8Array, maxBytes: number): unknown => {
  if (json.length === 0) return '';
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(json).toString('utf8'));
  } catch {
    throw new ProtocolViolation('response');
  }
  const bytes = typeof value === 'string' ? Buffer.byteLength(value) : json.length;
  if (bytes > maxBytes) {
    throw new ActionError('ResponseLimitError', `the response has ${bytes} bytes, more than ${maxBytes}`);
  }
  if (typeof value === 'string') value = parsedOrSame(value);
  if (isDeeperThan(value, MAX_DEPTH)) {
    throw new ActionError('ResponseError', `the response is nested deeper than ${MAX_DEPTH} levels`);
  }
  return value;
};

const parsedOrSame = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1)));
