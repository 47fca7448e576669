/** The fees of all forms of a wallet's transaction, which its run signs together: the relayer cannot sign for it later. */
import { withinCeiling } from '../market.ts';
import type { Fees } from '../tables.ts';
import { higher, leastFees, lower } from '../transitions.ts';

/** Forms above the first one. */
const MAX_RAISED = 3;
/** The limit of a caller that gives none, as a multiple of what the chain asks now. */
const DEFAULT_LIMIT = 10n;

export type Ladder = { forms: Fees[]; cancel: Fees };

/** Maximum fees per gas that the wallet can pay: for a form of the call, and for the one that cancels it. */
type Affordable = { call: bigint; cancel: bigint };

/**
 * Returns the forms of a call from the fees of the market up to an eighth below those of the form that cancels it, which are at the limit or the
 * highest that the wallet can pay. Nodes take each in the place of those before it. Throws `FeesTooHighError` when there is no form that would be
 * mined now.
 */
export function buildLadder(
  market: Fees,
  affordable: Affordable,
  limit = DEFAULT_LIMIT * market.maxFeePerGas,
): Ladder {
  const highest = lower(limit, affordable.cancel);
  // The cancel form must replace the last one.
  const top = lower(((highest - 1n) * 1_000n) / 1_125n, affordable.call);
  const first = withinCeiling(market, top);
  const scaled = (maxFeePerGas: bigint, before: Fees): Fees => {
    const least = leastFees(before);
    const tip = (first.maxPriorityFeePerGas * maxFeePerGas) / higher(first.maxFeePerGas, 1n);
    return {
      maxFeePerGas,
      maxPriorityFeePerGas: lower(higher(tip, least.maxPriorityFeePerGas), maxFeePerGas),
    };
  };
  const forms = [first];
  const steps = countSteps(first, top);
  const ratio = (Number(top) / Number(first.maxFeePerGas)) ** (1 / steps);
  for (let step = 1; step <= steps; step++) {
    const before = forms.at(-1) as Fees;
    const wanted = step === steps ? top : BigInt(Math.floor(Number(first.maxFeePerGas) * ratio ** step));
    const maxFeePerGas = higher(wanted, leastFees(before).maxFeePerGas);
    if (maxFeePerGas <= top) forms.push(scaled(maxFeePerGas, before));
  }
  return { forms, cancel: scaled(highest, forms.at(-1) as Fees) };
}

/** Returns how many forms above the first one nodes would take up to `top`. */
function countSteps(first: Fees, top: bigint): number {
  let [steps, fees] = [0, leastFees(first)];
  while (steps < MAX_RAISED && fees.maxFeePerGas <= top) [steps, fees] = [steps + 1, leastFees(fees)];
  return steps;
}
