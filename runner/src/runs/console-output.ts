import { ProtocolViolation } from './protocol.ts';

/** Size of the frame of an empty line of output; a character of text takes at most six bytes of a frame. */
const LOG_FRAME_BYTES = 64;

export type ConsoleOutput = {
  /** Adds a line from a frame of `frameBytes`. Returns false when the output exceeds its limit. */
  add: (line: string, frameBytes: number) => boolean;
  /** Adds a line of the environment, as far as there is room. Throws `ProtocolViolation` for a second one. */
  warn: (line: string) => void;
  /** Returns all lines, cut at the limit between two characters. */
  text: () => string;
};

/** The console output of one run, at most `maxBytes` of UTF-8. Calls `onText` with each part of it as it comes. */
export function createConsoleOutput(maxBytes: number, onText?: (text: string) => void): ConsoleOutput {
  let text = '';
  let bytes = 0;
  let hasWarned = false;
  const keep = (added: Buffer): void => {
    // With `stream` the decoder omits the bytes of an incomplete character.
    const kept = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      added.subarray(0, Math.max(0, maxBytes - bytes)),
      { stream: true },
    );
    text += kept;
    if (kept !== '') onText?.(kept);
  };
  return {
    add(line, frameBytes) {
      const added = Buffer.from(line);
      keep(added);
      // A frame counts by its size even when its text is empty or shorter.
      bytes += Math.max(added.length, Math.ceil(frameBytes / LOG_FRAME_BYTES));
      return bytes <= maxBytes;
    },
    warn(line) {
      if (hasWarned) throw new ProtocolViolation('pending');
      hasWarned = true;
      const added = Buffer.from(`${line}\n`);
      keep(added);
      bytes = Math.min(maxBytes, bytes + added.length);
    },
    text: () => text,
  };
}
