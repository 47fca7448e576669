/** The trigger service, measured by a program beside it. */
import { startForked } from '@latchkey/testing/forked';
import type { Comparison } from '@latchkey/testing/measure';
import { CLIENTS, type Measured } from './rows.ts';

type Answer = { toRunning: Comparison; accepted: Comparison[]; slots: Comparison };

export async function benchTriggers(count: number): Promise<Measured> {
  using program = startForked(new URL('../../triggers/bench/main.ts', import.meta.url));
  const { toRunning, accepted, slots } = await program.ask<Answer>({ count, clients: CLIENTS });
  const of16 = accepted.filter(({ concurrency }) => concurrency === 16);
  return {
    values: {
      webhookRate: of16.map(({ ratioPerSecond }) => ratioPerSecond),
      webhookAccepted: of16.map(({ service }) => service.p95Ms),
      webhookRunning: [toRunning.ratioP50],
      slotRunning: [slots.service.p50Ms],
    },
    comparisons: [toRunning, ...accepted, slots],
  };
}
