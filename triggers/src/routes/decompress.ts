/** Decompresses the bodies of webhooks. */
import { promisify } from 'node:util';
import { brotliDecompress, unzip } from 'node:zlib';
import { badRequest, payloadTooLarge } from '@latchkey/http';

const decoders = {
  gzip: promisify(unzip),
  'x-gzip': promisify(unzip),
  deflate: promisify(unzip),
  br: promisify(brotliDecompress),
};

/**
 * Resolves to the body, and to the bytes that were sent when they were compressed. Rejects with 413 as soon as more than `limitBytes`
 * are decompressed, and with 400 for another coding or malformed bytes.
 */
export async function decompress(
  body: Buffer,
  codings: readonly string[] | undefined,
  limitBytes: number,
): Promise<{ body: Buffer; sent?: Buffer }> {
  const coding = codings?.join().trim().toLowerCase() ?? 'identity';
  if (coding === 'identity' || body.length === 0) return { body };
  const decode = Object.hasOwn(decoders, coding) ? decoders[coding as keyof typeof decoders] : undefined;
  if (!decode)
    throw badRequest('The Content-Encoding is not supported.', {
      fix: 'Send gzip, deflate, br, or no Content-Encoding.',
    });
  const decoded = await decode(body, { maxOutputLength: limitBytes }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_BUFFER_TOO_LARGE')
        throw payloadTooLarge('The decompressed body is larger than this endpoint accepts.', {
          fix: `Send at most ${limitBytes} bytes.`,
        });
      throw badRequest('The body does not match its Content-Encoding.', { cause: error });
    },
  );
  return { body: decoded, sent: body };
}
