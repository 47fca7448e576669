/** Frame of an empty line of output; a character of text takes six bytes of it at most. */
const LOG_FRAME_BYTES = 64;

export type ConsoleOutput = {
  /** Adds a line that came in a frame of `frameBytes`; false when the output has grown over its limit. */
  add: (line: string, frameBytes: number) => boolean;
  /** All lines, cut at the limit between two characters. */
  text: () => string;
};

/** The console output of one run, at most `maxBytes` of UTF-8. */
export function createConsoleOutput(maxBytes: number): ConsoleOutput {
  let text = '';
  let bytes = 0;
  return {
    add(line, frameBytes) {
      const room = maxBytes - bytes;
      const added = Buffer.from(line);
      // A frame counts even where its text is empty or shorter than the frame needs.
      bytes += Math.max(added.length, Math.ceil(frameBytes / LOG_FRAME_BYTES));
      // With `stream` the bytes of a character that is cut are left out.
      text += new TextDecoder('utf-8', { ignoreBOM: true }).decode(added.subarray(0, room), { stream: true });
      return bytes <= maxBytes;
    },
    text: () => text,
  };
}
