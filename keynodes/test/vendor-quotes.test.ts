/** Genuine quotes, with Intel's signatures judged by the vendor's library, and event logs replayed as dstack's verifier does. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Evidence, evidence } from '@latchkey/key-protocol';
import { type Collateral, Quote, verify } from '@phala/dcap-qvl';
import { expect, onTestFinished, test } from 'vitest';
import { createQuoteVerifier, type QuotePolicy } from '../src/quotes.ts';
import { readTdxQuote } from '../src/tdx-quote.ts';

const read = (name: string): Buffer => readFileSync(new URL(`vendor-quotes/${name}`, import.meta.url));
const parse = (name: string) => JSON.parse(read(name).toString());
const report: Evidence & { report_data: string } = parse('dstack-quote-report.json');
const dstack: Evidence = { quote: report.quote, event_log: report.event_log, vm_config: report.vm_config };
const withQuote = (quote: Buffer): Evidence => ({
  quote: quote.toString('hex'),
  event_log: '',
  vm_config: '',
});

/** Starts a verifier with this verdict. */
async function startVerifier(judge: (evidence: Evidence) => object): Promise<string> {
  const server = createServer(async (request, response) => {
    response.end(JSON.stringify(judge((await json(request)) as Evidence)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Judges the signatures of a quote at this time, by Intel's root certificate and this collateral. */
const judgeSignatures =
  (collateral: Collateral, nowSec: number) =>
  ({ quote }: Evidence): object => {
    try {
      const { status } = verify(Buffer.from(quote, 'hex'), collateral, nowSec);
      return { is_valid: true, details: { tcb_status: status } };
    } catch (error) {
      return { is_valid: false, reason: (error as Error).message, details: {} };
    }
  };

type Event = { imr: number; digest: string; event: string; event_payload: string };
const EVENT_TYPE = Buffer.from('01000008', 'hex');
const sha384 = (...parts: Uint8Array[]): Buffer => createHash('sha384').update(Buffer.concat(parts)).digest();

/** Judges the event log by the register that the quote measures; there is no collateral of this quote. */
function judgeEvents({ quote, event_log, vm_config }: Evidence): object {
  const events = (JSON.parse(event_log) as Event[]).filter(({ imr }) => imr === 3);
  const isWhole = events.every(({ digest, event, event_payload }) =>
    sha384(EVENT_TYPE, Buffer.from(`:${event}:`), Buffer.from(event_payload, 'hex')).equals(
      Buffer.from(digest, 'hex'),
    ),
  );
  const register = events.reduce<Buffer>(
    (sum, { digest }) => sha384(sum, Buffer.from(digest, 'hex')),
    Buffer.alloc(48),
  );
  const measured = Quote.parse(Buffer.from(quote, 'hex')).report.asTd10()?.rtMr3;
  const payloadOf = (name: string) => events.find(({ event }) => event === name)?.event_payload ?? '';
  return {
    is_valid: isWhole && register.equals(measured ?? Buffer.alloc(0)),
    reason: 'the event log does not match the quote',
    details: {
      tcb_status: 'UpToDate',
      app_info: {
        compose_hash: payloadOf('compose-hash'),
        key_provider_info: payloadOf('key-provider'),
        os_image_hash: JSON.parse(vm_config).os_image_hash,
      },
    },
  };
}

const OS_IMAGE = '14ad42d0270b444eaeb53918a5a94d9b17eec7a817cd336173b17c5327541c67';
const PROVIDER = 'local-sgx:1b7a49378403249b6986a907844cab0921eca32dd47e657f3c10311ccaeccf8b';
const COMPOSE = '3763bc34552cf3a27ff71ad5f7a90471562a1a2df552dfc1998cba2d60da27e7';
const lists = { osImageHashes: [OS_IMAGE], keyProviders: [PROVIDER] };

test.each([
  ['tdx_quote', 4],
  ['tdx_quote_outdated', 5],
])('reads %s, of version %s, as the vendor does', (name, version) => {
  const bytes = read(name);
  const { header, report: parsed } = Quote.parse(bytes);
  const { reportData, tdAttributes } = parsed.asTd10() ?? parsed.asTd15()?.base ?? {};
  expect(header.version).toBe(version);
  expect(readTdxQuote(bytes.toString('hex'))).toEqual({
    isDebug: ((tdAttributes?.[0] ?? 1) & 1) === 1,
    reportData: Buffer.from(reportData ?? []).toString('hex'),
  });
});

const collateral: Collateral = parse('tdx_quote_collateral.json');
const validAt = Date.parse('2025-07-01T00:00:00Z') / 1_000;
const genuine = read('tdx_quote');
const changed = (at: number): Buffer => {
  const bytes = Buffer.from(genuine);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return bytes;
};

test.each<[string, Buffer, Collateral, number, string]>([
  [
    'that is genuine, after its signatures, as it names no application',
    genuine,
    collateral,
    validAt,
    'names no application',
  ],
  [
    'whose collateral has expired',
    genuine,
    collateral,
    validAt + 90 * 86_400,
    'is not valid: TCBInfo expired',
  ],
  [
    'of an old processor',
    read('tdx_quote_outdated'),
    parse('tdx_quote_outdated_collateral.json'),
    Date.parse('2026-03-01T00:00:00Z') / 1_000,
    'is not valid: No matching TCB level found',
  ],
  ['with another measurement', changed(48 + 136), collateral, validAt, 'is not valid'],
  ['with another signature', changed(640), collateral, validAt, 'is not valid'],
  ['of a debug enclave', changed(48 + 120), collateral, validAt, 'is of an enclave that can be debugged'],
])('refuses a quote %s', async (_, quote, of, nowSec, reason) => {
  const verifierUrl = await startVerifier(judgeSignatures(of, nowSec));
  const verifyQuote = createQuoteVerifier({ verifierUrl, ...lists });
  const reportData = readTdxQuote(quote.toString('hex'))?.reportData ?? '';
  await expect(verifyQuote(withQuote(quote), reportData, [COMPOSE])).rejects.toThrow(reason);
});

test('takes the reply of a guest agent as evidence', () => {
  expect(evidence.parse(dstack)).toEqual(dstack);
});

async function verifyDstack(
  change: Partial<Evidence> = {},
  policy: Partial<QuotePolicy> = {},
): Promise<void> {
  const verifierUrl = await startVerifier(judgeEvents);
  const verifyQuote = createQuoteVerifier({ verifierUrl, ...lists, ...policy });
  await verifyQuote({ ...dstack, ...change }, report.report_data, [COMPOSE]);
}

test('accepts the quote of an application whose image, key provider and code are permitted', () =>
  verifyDstack());

test.each<[string, Partial<Evidence>, Partial<QuotePolicy>]>([
  ['is of another OS image', {}, { osImageHashes: ['00'.repeat(32)] }],
  ['is of another key provider: local-sgx:1b7a', {}, { keyProviders: ['kms:1b7a'] }],
  ['is not valid', { event_log: dstack.event_log.replaceAll(COMPOSE, '00'.repeat(32)) }, {}],
])('refuses the quote of an application that %s', async (reason, change, policy) => {
  await expect(verifyDstack(change, policy)).rejects.toThrow(reason);
});

test('reads the verdict that the verifier documents', async () => {
  const verdict = parse('dstack-verdict.json');
  const { compose_hash, os_image_hash, key_provider_info } = verdict.details.app_info;
  const { id } = JSON.parse(Buffer.from(key_provider_info, 'hex').toString());
  const verifierUrl = await startVerifier(() => verdict);
  const verifyWith = (keyProviders: string[]) =>
    createQuoteVerifier({ verifierUrl, osImageHashes: [os_image_hash], keyProviders })(
      dstack,
      report.report_data,
      [compose_hash],
    );
  await verifyWith([`kms:${id}`]);
  await expect(verifyWith([`local:${id}`])).rejects.toThrow('is of another key provider');
});
