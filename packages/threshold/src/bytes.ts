/** Fixed-width integers (big endian) and hexadecimal text of the canonical encodings. */
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

export const u8 = (value: number): Uint8Array => integer(value, 1);
export const u16 = (value: number): Uint8Array => integer(value, 2);
export const u32 = (value: number): Uint8Array => integer(value, 4);

/** Throws a RangeError when the value does not fit. */
function integer(value: number, bytes: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** (8 * bytes)) {
    throw new RangeError(`${value} is not an integer of ${bytes} bytes`);
  }
  return Uint8Array.from({ length: bytes }, (_, i) => Math.floor(value / 2 ** (8 * (bytes - 1 - i))) & 0xff);
}

/** Returns a label that is not a prefix of another one: its length in one byte and its text. */
export function label(text: string): Uint8Array {
  return concatBytes(u8(text.length), utf8ToBytes(text));
}

export type Reader = {
  /** Returns the next big-endian integer of so many bytes. */
  integer(bytes: number): number;
  /** Returns a copy of the next bytes. */
  take(bytes: number): Uint8Array;
  /** Throws a RangeError unless all bytes were read. */
  end(): void;
};

/** Reads bytes in order. Each read throws a RangeError when too few are left. */
export function createReader(bytes: Uint8Array): Reader {
  let at = 0;
  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw new RangeError('too short');
    at += count;
    return bytes.slice(at - count, at);
  };
  return {
    take,
    integer: (count) => take(count).reduce((value, byte) => value * 256 + byte, 0),
    end: () => {
      if (at !== bytes.length) throw new RangeError('too long');
    },
  };
}

/** Returns the bytes of lower-case hexadecimal text. Throws a RangeError for other text and another length. */
export function fromHex(hex: string, bytes: number): Uint8Array {
  if (hex.length !== 2 * bytes || !/^[0-9a-f]*$/.test(hex))
    throw new RangeError(`not ${bytes} bytes in lower-case hexadecimal`);
  return hexToBytes(hex);
}

export const bytes32 = (hex: string): Uint8Array => fromHex(hex, 32);
