/** The guest agent of dstack, over its Unix socket: keys of this enclave, and quotes of what runs in it. */
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const TIMEOUT_MS = 10_000;

const keyReply = z.object({ key: z.hex().min(64) });
const quoteReply = z.object({
  quote: z.hex().min(2),
  event_log: z.string(),
  vm_config: z.string().default(''),
});

export type GuestAgent = {
  /** Returns a key (hexadecimal) that only this application in an enclave gets. SECRET. */
  key: (path: string, purpose: string) => Promise<string>;
  /** Returns a quote of the enclave, for 32 bytes in hexadecimal. */
  quote: (reportData: string) => Promise<z.infer<typeof quoteReply>>;
};

export function connectGuestAgent(socketPath: string): GuestAgent {
  const call = async <T>(path: string, schema: z.ZodType<T>, body: object): Promise<T> =>
    schema.parse(await post(socketPath, path, JSON.stringify(body)));
  return {
    key: async (path, purpose) => (await call('/GetKey', keyReply, { path, purpose })).key,
    quote: (report_data) => call('/GetQuote', quoteReply, { report_data }),
  };
}

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
