import type { Request, Response } from 'express';
import { badRequest, payloadTooLarge } from './errors.ts';

/** An unread body up to this length is discarded, and its connection is kept. */
const DISCARDED_BYTES = 64 * 1024;
/** Bytes that are read of a longer body after the refusal. */
const DRAINED_BYTES = 256 * 1024;
/** Time for which its connection stays open, so that the client can read the refusal before a reset. */
const DRAIN_MS = 2_000;

/**
 * Without a listener the error of a broken connection would be thrown; `close` follows it. NOTE a closure created where
 * a body is read would keep that body as long as the request.
 */
const ignore = (): void => {};

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Returns the Content-Length, undefined for chunked bodies. */
export function announcedBytes({ headers }: Request): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
}

/** Sends 100 Continue to a client that waits for it. Call only to accept the body. */
export function sendContinue(req: Request, res: Response): void {
  if (req.headers.expect?.toLowerCase() !== '100-continue') return;
  delete req.headers.expect;
  res.writeContinue();
}

/** Makes every reply close its connection unless the body is read completely or is short enough to be discarded. */
export function closeAfterUnreadBody(req: Request, res: Response): void {
  const bytes = announcedBytes(req);
  if (bytes === undefined || bytes > DISCARDED_BYTES || req.headers.expect !== undefined)
    res.set('Connection', 'close');
}

/**
 * Reads a body of at most `limitBytes`. Calls `onBytes` per chunk, which refuses by throwing. Rejects with 413 before
 * it reads when the Content-Length is over the limit.
 */
export async function receiveBody(
  req: Request,
  res: Response,
  {
    limitBytes,
    onBytes,
    takesCompressed = false,
  }: {
    limitBytes: number;
    onBytes?: ((bytes: number) => void) | undefined;
    takesCompressed?: boolean | undefined;
  },
): Promise<Buffer> {
  if (!hasBody(req)) return Buffer.alloc(0);
  if (!takesCompressed && (req.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw badRequest('Compressed bodies are not accepted.', {
      fix: 'Send the body without Content-Encoding.',
    });
  const tooLarge = () =>
    payloadTooLarge('The body is larger than this endpoint accepts.', {
      fix: `Send at most ${limitBytes} bytes.`,
    });
  if ((announcedBytes(req) ?? 0) > limitBytes) throw tooLarge();
  sendContinue(req, res);

  const chunks: Buffer[] = [];
  let received = 0;
  await consume(req, (chunk) => {
    received += chunk.length;
    if (received > limitBytes) throw tooLarge();
    onBytes?.(chunk.length);
    chunks.push(chunk);
  });
  res.removeHeader('Connection');
  return Buffer.concat(chunks, received);
}

/**
 * Resolves when a request to an endpoint without a body has arrived completely, and discards the body that it has.
 * Otherwise a request that ends early, or is malformed after its headers, would have an effect.
 */
export async function discardBody(req: Request, res: Response): Promise<void> {
  // A client that waits for 100 Continue sends no body.
  if (!hasBody(req) || req.headers.expect?.toLowerCase() === '100-continue') return;
  const tooLarge = () =>
    badRequest('This endpoint has no body.', { fix: 'Send the request without a body.' });
  if ((announcedBytes(req) ?? 0) > DISCARDED_BYTES) throw tooLarge();
  let received = 0;
  await consume(req, (chunk) => {
    received += chunk.length;
    if (received > DISCARDED_BYTES) throw tooLarge();
  });
  res.removeHeader('Connection');
}

/** Passes each chunk of a body to `onChunk`, which refuses by throwing. Resolves when the body is complete. */
function consume(req: Request, onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      try {
        onChunk(chunk);
      } catch (refusal) {
        stop();
        req.pause();
        reject(refusal as Error);
      }
    };
    const onEnd = (): void => {
      stop();
      resolve();
    };
    const onGone = (): void => {
      stop();
      reject(badRequest('The connection closed before the body was complete.'));
    };
    const stop = (): void => {
      req.off('data', onData).off('end', onEnd).off('close', onGone);
    };
    req.on('data', onData).once('end', onEnd).once('close', onGone);
    req.on('error', ignore);
  });
}

/**
 * Ends a written reply. Discards a part of a long unread body first: closing immediately would reset the connection,
 * and the client could lose the reply.
 */
export async function endReply(req: Request, res: Response): Promise<void> {
  const isSending = !req.complete && req.headers.expect === undefined;
  if (isSending && res.getHeader('Connection') === 'close') await drain(req);
  res.end();
}

function drain(req: Request): Promise<void> {
  return new Promise((resolve) => {
    let leftBytes = DRAINED_BYTES;
    const timer = setTimeout(() => finish(), DRAIN_MS);
    const onData = (chunk: Buffer): void => {
      leftBytes -= chunk.length;
      // The remaining bytes stay at the client.
      if (leftBytes <= 0) req.pause();
    };
    const finish = (): void => {
      clearTimeout(timer);
      req.off('data', onData).off('end', finish).off('close', finish);
      req.pause();
      resolve();
    };
    req.on('data', onData).once('end', finish).once('close', finish);
    req.on('error', ignore);
    req.resume();
  });
}
