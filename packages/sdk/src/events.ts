/** Replies that are streams of server-sent events. */
import { createRunEventReader } from '@latchkey/protocol';
import type { Received, Receiver } from './http.ts';

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
      const events = createRunEventReader(notify);
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) events.feed(part.value);
      const reply = events.end();
      for (const [name, value] of Object.entries(reply.headers)) headers.set(name, value);
      return { status: reply.status, headers, text: JSON.stringify(reply.body) };
    },
  };
}
