/** Keys from the key nodes of the stack. Baseline: one evaluation without nodes. */
import type { Stack } from '@latchkey/stack';
import { startForked } from '@latchkey/testing/forked';
import { compareBlocks, measure, type Samples, summarize, warm } from '@latchkey/testing/measure';
import { encodeInput, evaluate } from '@latchkey/threshold';
import { range, split } from '@latchkey/threshold/testing';
import { call } from './client.ts';
import type { Arrivals, Load } from './load.ts';
import type { Measured } from './rows.ts';
import { openRunner, poolIsWarm, type Runner } from './runs.ts';

/** Number of timed calls in one run: all that it may make but the first, whose key is requested when the run starts. */
const CALLS = 9;

/** Times calls of a key function. */
const timesCodeOf = (call: string) => `async function main({ pkpId }) {
  const times = [];
  for (let i = 0; i <= ${CALLS}; i++) {
    const startedAt = performance.now();
    await Svc.Actions.${call};
    times.push(performance.now() - startedAt);
  }
  return times.slice(1);
}`;
const timesCode = timesCodeOf('getPrivateKey({ pkpId })');
const signatureCodes = ['ed25519', 'bip340'].map((keyType) =>
  timesCodeOf(`sign({ pkpId, keyType: '${keyType}', message: '0x61' })`),
);

const functionCode = `async function main({ pkpId, message }) {
  return Svc.Actions.signMessage({ pkpId, message });
}`;

/** Times key functions in actions. */
async function timeKeys(
  baseUrl: string,
  { usageKey, wallet }: Runner,
  count: number,
  code = timesCode,
): Promise<Samples> {
  const samples: Samples = { durationsMs: [], wallMs: 0 };
  while (samples.durationsMs.length < count) {
    const { response } = await call<{ response: number[] }>(`${baseUrl}/svc_action`, {
      key: usageKey,
      body: { code, js_params: { pkpId: wallet } },
    });
    samples.durationsMs.push(...response);
    samples.wallMs += response.reduce((sum, time) => sum + time, 0);
  }
  return samples;
}

/** Returns the p50 per kind of key. */
async function benchSignatures({ baseUrl }: Stack, count: number): Promise<number[]> {
  const runner = await openRunner(baseUrl, ...signatureCodes);
  const p50s: number[] = [];
  for (const code of signatureCodes) {
    const sign = (size: number) => timeKeys(baseUrl, runner, size, code);
    await warm(sign, CALLS);
    p50s.push(summarize(await sign(CALLS * count)).p50Ms);
  }
  return p50s;
}

export async function benchKeys(stack: Stack, count: number): Promise<Measured> {
  const withNodes = await openRunner(stack.baseUrl, timesCode);

  const { parameters, shares } = split(5n, 2, range(3));
  const [share] = shares;
  if (!share) throw new Error('no share');
  const input = encodeInput({ kind: 'wallet', path: 1n });
  const derive = await compareBlocks(
    { name: 'key function', concurrency: 1, count: CALLS * count },
    {
      service: (size) => timeKeys(stack.baseUrl, withNodes, size),
      baseline: (size) => measure({ run: async () => evaluate(parameters, share, input) }, size, 1),
    },
  );

  const signatures = await benchSignatures(stack, count);
  const functions = await openRunner(stack.baseUrl, functionCode);
  const body = JSON.parse(functions.sign.body ?? '{}');
  const signFunction = { ...functions.sign, body: JSON.stringify({ ...body, code: functionCode }) };

  using load = startForked(new URL('load.ts', import.meta.url));
  const poolSize = await poolIsWarm(stack);
  const signWith =
    ({ sign }: Pick<Runner, 'sign'>, arrivals: Arrivals) =>
    (size: number): Promise<Samples> =>
      load.ask({ requests: [sign], count: size, ...arrivals } satisfies Load);
  const signFunctions = await compareBlocks(
    { name: 'signMessage, one client', concurrency: 1, count: 2 * count },
    {
      service: signWith({ sign: signFunction }, { clients: 1, leadIn: poolSize + 1 }),
      baseline: signWith(functions, { clients: 1, leadIn: poolSize + 1 }),
      settle: () => poolIsWarm(stack),
    },
  );
  return {
    values: {
      signatures,
      signFunctions: [signFunctions.ratioP50],
    },
    comparisons: [derive, signFunctions],
  };
}
