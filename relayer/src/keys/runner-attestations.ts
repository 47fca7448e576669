/** Passes quotes of runners in enclaves to the key nodes that need them. A relayer can withhold a quote and cannot make one. */
import { evidence, type Identity, signRunnerAttestation } from '@latchkey/key-protocol';
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import { z } from 'zod';
import type { AttestedRunner, Runners } from '../runners/runners.ts';

const TIMEOUT_MS = 15_000;
const MAX_REPLY_BYTES = 64 * 1024;
const dispatcher = new Agent({ maxResponseSize: MAX_REPLY_BYTES });

const challenge = z.object({ nonce: z.string(), is_due: z.boolean() });

export type RunnerAttestationsOptions = {
  /** URLs of the key nodes. */
  urls: string[];
  identity: Identity;
  runners: Pick<Runners, 'attested'>;
  log: Logger;
};

/** Returns the task that gives each key node the quotes that are due there. Call it every few seconds. */
export function createRunnerAttestations(options: RunnerAttestationsOptions): () => Promise<void> {
  const { urls, runners, log } = options;
  const attestAt = async (url: string, runner: AttestedRunner): Promise<void> => {
    try {
      await attest(url, runner, options.identity);
    } catch (err) {
      log.warn({ err, node: url, runner: runner.identity }, 'failed to attest a runner at a key node');
    }
  };
  return async () => {
    await Promise.all(runners.attested().flatMap((runner) => urls.map((url) => attestAt(url, runner))));
  };
}

async function attest(url: string, runner: AttestedRunner, relayer: Identity): Promise<void> {
  const path = `${url}/v1/runner_attestation`;
  const asked = await ask(`${path}?runner=${runner.identity}`);
  if (asked.status === 404) return;
  const { nonce, is_due } = challenge.parse(asked.body);
  if (!is_due) return;
  const quote = evidence.parse(JSON.parse(await runner.quote(nonce)));
  const attestation = signRunnerAttestation({ runner: runner.identity, nonce, evidence: quote }, relayer);
  const { status, body } = await ask(path, attestation);
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(body)}`);
}

async function ask(url: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await request(url, {
    dispatcher,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  return { status: response.statusCode, body: await response.body.json() };
}
