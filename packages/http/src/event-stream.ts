/** Server-sent events: a reply whose parts are sent as they come. */
import type { Response } from 'express';
import type { StoredReply } from './idempotency.ts';

/** Proxies close connections that are silent, most of them after a minute. */
const HEARTBEAT_MS = 15_000;

export type EventStream = {
  /** True after the first event: the status is sent. */
  isOpen: () => boolean;
  /** Sends an event. `json` is its data. */
  send: (name: string, json: string) => void;
  /** Sends the reply that the request gets without a stream, as the event `result`, and ends. */
  end: (reply: StoredReply) => void;
};

/** Returns a stream that opens with its first event. */
export function createEventStream(res: Response): EventStream {
  let heartbeat: NodeJS.Timeout | undefined;
  const open = (): void => {
    if (heartbeat) return;
    res.status(200).set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      // nginx would collect the events.
      'X-Accel-Buffering': 'no',
    });
    res.flushHeaders();
    heartbeat = setInterval(() => res.write(':\n\n'), HEARTBEAT_MS);
    res.once('close', () => clearInterval(heartbeat));
  };
  const send = (name: string, json: string): void => {
    if (res.destroyed) return;
    open();
    res.write(`event: ${name}\ndata: ${json}\n\n`);
  };
  return {
    isOpen: () => heartbeat !== undefined,
    send,
    end({ status, headers, body }) {
      send('result', `{"status":${status},"headers":${JSON.stringify(headers)},"body":${body}}`);
      res.end();
    },
  };
}
