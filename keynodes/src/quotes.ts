/** Verifies quotes of nodes and runners, by the verifier service of dstack and by the lists of this node. */
import { serviceUnavailable } from '@latchkey/http';
import type { Evidence } from '@latchkey/key-protocol';
import { z } from 'zod';
import { readTdxQuote } from './tdx-quote.ts';

/** Less than the timeout of the operator's command. A verifier that first fetches an image goes on with it, and answers a repetition. */
const TIMEOUT_MS = 10_000;
const REPORT_DATA_DIGITS = 128;

const verdict = z.object({
  is_valid: z.boolean(),
  reason: z.string().nullish(),
  details: z.object({
    tcb_status: z.string().nullish(),
    /** Absent in verdicts of older verifiers, null when the image does not say. */
    os_image_is_dev: z.boolean().nullish(),
    app_info: z
      .object({ compose_hash: z.string(), os_image_hash: z.string(), key_provider_info: z.string() })
      .nullish(),
  }),
});
type Verdict = z.infer<typeof verdict>;
const keyProvider = z.object({ name: z.string(), id: z.string() });

/** A quote that does not count. The message continues "the quote of …". */
export class QuoteError extends Error {
  override readonly name = 'QuoteError';
}

export type QuotePolicy = {
  verifierUrl: string;
  /** SHA-256 of permitted OS images, hexadecimal. */
  osImageHashes: readonly string[];
  /** Permitted key providers: `name:id`. */
  keyProviders: readonly string[];
};

/** Resolves for a genuine quote of permitted code for `reportData`, hexadecimal. Rejects with a QuoteError otherwise. */
export type VerifyQuote = (
  evidence: Evidence,
  reportData: string,
  composeHashes: readonly string[],
) => Promise<void>;

export function createQuoteVerifier(policy: QuotePolicy): VerifyQuote {
  return async (evidence, reportData, composeHashes) => {
    const quote = readTdxQuote(evidence.quote);
    if (!quote) throw new QuoteError('is not a TDX quote of version 4 or 5');
    // First, because the verifier takes long.
    if (quote.reportData !== reportData.padEnd(REPORT_DATA_DIGITS, '0'))
      throw new QuoteError('is for another identity, purpose or nonce');
    if (quote.isDebug) throw new QuoteError('is of an enclave that can be debugged');
    judge(await ask(policy.verifierUrl, evidence), policy, composeHashes);
  };
}

function judge(
  { is_valid, reason, details }: Verdict,
  { osImageHashes, keyProviders }: QuotePolicy,
  composeHashes: readonly string[],
): void {
  if (!is_valid) throw new QuoteError(`is not valid: ${reason ?? 'without a reason'}`);
  const { tcb_status, os_image_is_dev, app_info } = details;
  if (tcb_status !== 'UpToDate')
    throw new QuoteError(`is of a processor with the TCB status ${tcb_status ?? 'unknown'}`);
  if (!app_info) throw new QuoteError('names no application');
  if (os_image_is_dev) throw new QuoteError('is of a development image');
  requireListed('OS image', app_info.os_image_hash, osImageHashes, 'ATTESTED_OS_IMAGE_HASHES');
  requireListed(
    'key provider',
    providerOf(app_info.key_provider_info),
    keyProviders,
    'ATTESTED_KEY_PROVIDERS',
  );
  requireListed('code', app_info.compose_hash, composeHashes, 'the compose hashes of this node');
}

function requireListed(what: string, found: string, list: readonly string[], setting: string): void {
  if (!list.includes(found)) throw new QuoteError(`is of another ${what}: ${found} is not in ${setting}`);
}

/** @param info JSON in hexadecimal. */
function providerOf(info: string): string {
  try {
    const { name, id } = keyProvider.parse(JSON.parse(Buffer.from(info, 'hex').toString()));
    return `${name}:${id}`;
  } catch {
    return 'none';
  }
}

async function ask(url: string, evidence: Evidence): Promise<Verdict> {
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(evidence),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return verdict.parse(await response.json());
  } catch (cause) {
    throw serviceUnavailable('the verifier of quotes does not answer', { cause });
  }
}
