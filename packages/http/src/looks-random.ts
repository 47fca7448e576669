const MIN_LENGTH = 22;
/** Fewer different characters are next to impossible in 22 random ones, hex digits included. */
const MIN_DIFFERENT = 8;

/** True for a text in which 16 random bytes fit: a UUID, hex or base64url, and no repetition. */
export function looksRandom(text: string): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length < MIN_LENGTH) return false;
  if (new Set(text).size < MIN_DIFFERENT) return false;
  // A text that is a shorter one repeated is found in its double before its own length.
  return `${text}${text}`.indexOf(text, 1) === text.length;
}
