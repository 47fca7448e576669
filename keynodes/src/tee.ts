/** The guest agent of dstack, over its Unix socket: a key of this enclave, and quotes of what runs in it. */
import { createHash, hkdfSync } from 'node:crypto';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const TIMEOUT_MS = 10_000;
const KEY_PATH = 'latchkey/key-node';

const keyReply = z.object({ key: z.hex().min(64) });
/** Evidence of an enclave, for a verifier. */
export const evidence = z.object({
  quote: z.hex().min(2),
  event_log: z.string(),
  /** JSON of the virtual machine's configuration. */
  vm_config: z.string().default(''),
});

export type Evidence = z.infer<typeof evidence>;
export type Quote = Evidence & {
  /** The 32 bytes that the quote is for, hexadecimal. */
  report_data: string;
};

export type Tee = {
  /** Returns 32 bytes that only this application in an enclave gets. SECRET. */
  sealingKey: (salt: Uint8Array) => Promise<Uint8Array>;
  /** Returns a quote of the enclave for the identity of this node. */
  quote: (publicKey: string) => Promise<Quote>;
};

export function connectTee(socketPath: string): Tee {
  const call = async <T>(path: string, schema: z.ZodType<T>, body: object): Promise<T> =>
    schema.parse(await post(socketPath, path, JSON.stringify(body)));
  return {
    async sealingKey(salt) {
      const { key } = await call('/GetKey', keyReply, { path: KEY_PATH, purpose: 'sealing' });
      return new Uint8Array(hkdfSync('sha256', Buffer.from(key, 'hex'), salt, `${KEY_PATH}/sealing/v1`, 32));
    },
    async quote(publicKey) {
      const report_data = reportData(publicKey);
      return { ...(await call('/GetQuote', evidence, { report_data })), report_data };
    },
  };
}

/** Returns SHA-256 of `latchkey/key-node/v1`, a zero byte, and the public key in hexadecimal. */
export const reportData = (publicKey: string): string =>
  createHash('sha256').update(`latchkey/key-node/v1\0${publicKey}`).digest('hex');

function post(socketPath: string, path: string, body: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const sent = request(
    { socketPath, path, method: 'POST', headers, signal: AbortSignal.timeout(TIMEOUT_MS) },
    (response) => {
      if (response.statusCode === 200) return resolve(json(response));
      response.resume();
      reject(new Error(`the guest agent returned ${response.statusCode} for ${path}`));
    },
  );
  sent.on('error', (cause) =>
    reject(new Error(`the guest agent does not answer at ${socketPath}`, { cause })),
  );
  sent.end(body);
  return promise;
}
