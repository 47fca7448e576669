/** Canonical bytes of signed values, and the forms of their members. */
import { z } from 'zod';

/** Lower-case hexadecimal text of so many bytes. */
export const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));

/**
 * Returns the bytes to sign. `value` must be the output of a strict schema, which fixes the order of the members, so that one
 * value has one encoding. No label contains a zero byte.
 */
export const encode = (label: string, value: unknown): Uint8Array =>
  Buffer.from(`${label}\0${JSON.stringify(value)}`);
