/** Replies that are streams of server-sent events. */
import { createParser } from 'eventsource-parser';
import type { Received, Receiver } from './http.ts';

/** The last event: the reply as it is without a stream. */
interface Result {
  status: number;
  headers: { [name: string]: string };
  body: unknown;
}

/**
 * Reads a stream of events. Calls `onEvent` with each but the last, and returns that one as the reply. An error that
 * `onEvent` throws is uncaught, as in an event listener.
 */
export function receiveEvents(onEvent: (name: string, data: unknown) => void): Receiver {
  const notify: typeof onEvent = (name, data) => {
    try {
      onEvent(name, data);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
  return {
    accept: 'text/event-stream',
    async read(response): Promise<Received> {
      const { status, body } = response;
      const headers = new Headers(response.headers);
      // Refusals are plain replies.
      if (!body || !headers.get('content-type')?.startsWith('text/event-stream'))
        return { status, headers, text: await response.text() };
      let result: Result | undefined;
      const parser = createParser({
        onEvent({ event = '', data }) {
          if (event === 'result') result = JSON.parse(data) as Result;
          else notify(event, JSON.parse(data));
        },
      });
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) parser.feed(part.value);
      if (!result) throw new Error('the stream ended before its result');
      for (const [name, value] of Object.entries(result.headers)) headers.set(name, value);
      return { status: result.status, headers, text: JSON.stringify(result.body) };
    },
  };
}
