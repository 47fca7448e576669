/** Replies that never change: one buffer for all clients, with an ETag. */
import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';

export type ConstantReply = {
  /** Media type or extension of a file. */
  type: string;
  body: Buffer;
  headers?: Record<string, string>;
};

/** Returns the handler of GET. `make` is called at the first request. */
export function constantReply(make: () => ConstantReply): RequestHandler {
  let made: (ConstantReply & { headers: Record<string, string> }) | undefined;
  return (req, res) => {
    if (!made) {
      const { type, body, headers } = make();
      const tag = createHash('sha256').update(body).digest('base64url');
      // Clients may store it, and ask with the ETag whether it is still the same.
      made = { type, body, headers: { 'Cache-Control': 'no-cache', ETag: `"${tag}"`, ...headers } };
    }
    // `mount` deletes the header, so that Express answers no other request with 304.
    const condition = req.headersDistinct['if-none-match']?.join();
    if (condition !== undefined) req.headers['if-none-match'] = condition;
    res.set(made.headers).type(made.type).send(made.body);
  };
}
