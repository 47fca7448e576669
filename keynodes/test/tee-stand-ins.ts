/** Stand-ins for dstack's guest agent and verifier. A quote is JSON in hexadecimal with the MAC of a processor. */
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

type Call = { path: string | undefined; body: Record<string, string> };
type Report = { report_data: string; compose_hash: string; tcb_status: string };

const macOf = (report: string): string => createHmac('sha256', 'processor').update(report).digest('hex');

export type AgentOptions = {
  applicationKey?: string;
  composeHash?: string;
  tcbStatus?: string;
  /** Of every reply. */
  status?: number;
};

/** Starts a guest agent with a key of its application. */
export async function startAgent({
  applicationKey = '11'.repeat(32),
  composeHash = 'c0'.repeat(32),
  tcbStatus = 'UpToDate',
  status = 200,
}: AgentOptions = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'dstack-'));
  const socket = join(directory, 'dstack.sock');
  const calls: Call[] = [];
  const quoteFor = (data: string): string => {
    const values: Report = {
      report_data: data.padEnd(128, '0'),
      compose_hash: composeHash,
      tcb_status: tcbStatus,
    };
    const report = JSON.stringify(values);
    return Buffer.from(JSON.stringify({ report, mac: macOf(report) })).toString('hex');
  };
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Record<string, string>;
    calls.push({ path: request.url, body });
    const reply =
      request.url === '/GetKey'
        ? { key: applicationKey, signature_chain: [] }
        : { quote: quoteFor(body.report_data ?? ''), event_log: '[]', vm_config: '{}' };
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

/** Starts a verifier: `POST /verify`. */
export async function startVerifier() {
  const server = createServer(async (request, response) => {
    const { quote } = (await json(request)) as { quote: string };
    const { report, mac } = JSON.parse(Buffer.from(quote, 'hex').toString());
    const isValid = request.url === '/verify' && mac === macOf(report);
    const { compose_hash, ...details } = JSON.parse(report) as Report;
    const reply = {
      is_valid: isValid,
      details: {
        quote_verified: isValid,
        event_log_verified: true,
        os_image_hash_verified: true,
        ...details,
        advisory_ids: [],
        app_info: { compose_hash },
      },
      reason: isValid ? null : 'the signature of the quote does not hold',
    };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply));
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
