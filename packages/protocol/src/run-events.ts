/** The server-sent events of a run, as a client reads them. */
import { createParser } from 'eventsource-parser';

/** The last event: the reply as it is without a stream. */
export type RunReply = { status: number; headers: { [name: string]: string }; body: unknown };

export type RunEventReader = {
  /** Takes a part of the stream. */
  feed: (text: string) => void;
  /** Returns the reply. Throws when the stream ended without it. */
  end: () => RunReply;
};

/** Reads a stream of events. Calls `onEvent` with each but the last, which is the reply. */
export function createRunEventReader(onEvent: (name: string, data: unknown) => void): RunEventReader {
  let reply: RunReply | undefined;
  const { feed } = createParser({
    onEvent({ event = '', data }) {
      const json: unknown = JSON.parse(data);
      if (event === 'result') reply = json as RunReply;
      else onEvent(event, json);
    },
  });
  return {
    feed,
    end() {
      if (!reply) throw new Error('the stream ended before its result');
      return reply;
    },
  };
}
