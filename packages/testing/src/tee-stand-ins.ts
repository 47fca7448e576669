/**
 * Stand-ins for dstack's guest agent and verifier. A quote has the fields of a TDX quote at their places, then JSON with the MAC of a
 * processor.
 */
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

export const COMPOSE_HASH = 'c0'.repeat(32);
export const OS_IMAGE_HASH = '05'.repeat(32);
export const KEY_PROVIDER = 'kms:3059';
/** Header and report of a TD. */
const REPORT_BYTES = 632;

type Call = { path: string | undefined; body: Record<string, string> };
type Measured = {
  tcb_status: string;
  os_image_is_dev: boolean;
  app_info: { compose_hash: string; os_image_hash: string; key_provider_info: string };
};

const macOf = (...signed: (string | Uint8Array)[]): string => {
  const mac = createHmac('sha256', 'processor');
  for (const part of signed) mac.update(part);
  return mac.digest('hex');
};

export type AgentOptions = {
  applicationKey?: string;
  composeHash?: string;
  osImageHash?: string;
  /** `name:id`. */
  keyProvider?: string;
  isDevelopmentImage?: boolean;
  isDebug?: boolean;
  tcbStatus?: string;
  /** Status of every reply. */
  status?: number;
};

function quoteFor(reportData: string, options: AgentOptions): string {
  const report = Buffer.alloc(REPORT_BYTES);
  report.writeUInt16LE(4, 0);
  report.writeUInt32LE(0x81, 4);
  report.writeUInt8(options.isDebug ? 1 : 0, 168);
  report.write(reportData, 568, 'hex');
  const [name, id] = (options.keyProvider ?? KEY_PROVIDER).split(':');
  const values: Measured = {
    tcb_status: options.tcbStatus ?? 'UpToDate',
    os_image_is_dev: options.isDevelopmentImage ?? false,
    app_info: {
      compose_hash: options.composeHash ?? COMPOSE_HASH,
      os_image_hash: options.osImageHash ?? OS_IMAGE_HASH,
      key_provider_info: Buffer.from(JSON.stringify({ name, id })).toString('hex'),
    },
  };
  const measured = JSON.stringify(values);
  const signed = JSON.stringify({ measured, mac: macOf(report, measured) });
  return Buffer.concat([report, Buffer.from(signed)]).toString('hex');
}

/** Starts a guest agent with a key of its application, in an enclave with these measurements. */
export async function startAgent(options: AgentOptions = {}) {
  const { applicationKey = '11'.repeat(32), status = 200 } = options;
  const directory = await mkdtemp(join(tmpdir(), 'dstack-'));
  const socket = join(directory, 'dstack.sock');
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Record<string, string>;
    calls.push({ path: request.url, body });
    const reply =
      request.url === '/GetKey'
        ? { key: applicationKey, signature_chain: [] }
        : { quote: quoteFor(body.report_data ?? '', options), event_log: '[]', vm_config: '{}' };
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply));
  }).listen(socket);
  await new Promise((listening) => server.once('listening', listening));
  return {
    socket,
    directory,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Starts a verifier: `POST /verify`. `asked` has the quotes. */
export async function startVerifier() {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { quote } = (await json(request)) as { quote: string };
    asked.push(quote);
    const bytes = Buffer.from(quote, 'hex');
    const { measured, mac } = JSON.parse(bytes.subarray(REPORT_BYTES).toString());
    const isValid = request.url === '/verify' && mac === macOf(bytes.subarray(0, REPORT_BYTES), measured);
    const reply = {
      is_valid: isValid,
      details: {
        quote_verified: isValid,
        event_log_verified: true,
        os_image_hash_verified: true,
        report_data: bytes.subarray(568, REPORT_BYTES).toString('hex'),
        advisory_ids: [],
        ...(JSON.parse(measured) as Measured),
      },
      reason: isValid ? null : 'the signature of the quote does not hold',
    };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply));
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
