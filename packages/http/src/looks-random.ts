const MIN_LENGTH = 22;
/** 22 random characters, also hex digits, practically always have more distinct ones. */
const MIN_DIFFERENT = 8;

/** Returns true for a text that can hold 16 random bytes: a UUID, hex or base64url, without repetition. */
export function looksRandom(text: string): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length < MIN_LENGTH) return false;
  if (new Set(text).size < MIN_DIFFERENT) return false;
  // A repetition of a shorter text occurs in its own double before the end of the first copy.
  return `${text}${text}`.indexOf(text, 1) === text.length;
}
