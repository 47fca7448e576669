/** Size of the frame of an empty line of output; a character of text takes at most six bytes of a frame. */
const LOG_FRAME_BYTES = 64;

export type ConsoleOutput = {
  /** Adds a line from a frame of `frameBytes`. Returns false when the output exceeds its limit. */
  add: (line: string, frameBytes: number) => boolean;
  /** Returns all lines, cut at the limit between two characters. */
  text: () => string;
};

/** The console output of one run, at most `maxBytes` of UTF-8. Calls `onText` with each part of it as it comes. */
export function createConsoleOutput(maxBytes: number, onText?: (text: string) => void): ConsoleOutput {
  let text = '';
  let bytes = 0;
  return {
    add(line, frameBytes) {
      const room = maxBytes - bytes;
      const added = Buffer.from(line);
      // A frame counts by its size even when its text is empty or shorter.
      bytes += Math.max(added.length, Math.ceil(frameBytes / LOG_FRAME_BYTES));
      // With `stream` the decoder omits the bytes of an incomplete character.
      const kept = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
        added.subarray(0, Math.max(0, room)),
        {
          stream: true,
        },
      );
      text += kept;
      if (kept !== '') onText?.(kept);
      return bytes <= maxBytes;
    },
    text: () => text,
  };
}
