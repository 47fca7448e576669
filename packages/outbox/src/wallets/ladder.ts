/** The fees of all forms of a wallet's transaction, which its run signs together: the relayer cannot sign for it later. */
import { withinCeiling } from '../market.ts';
import type { Fees } from '../tables.ts';
import { higher, leastFees, lower } from '../transitions.ts';

/** Forms above the first one. */
const MAX_RAISED = 3;
/** The limit of a caller that gives none, as a multiple of what the chain asks now. */
const DEFAULT_LIMIT = 10n;

export type Ladder = { forms: Fees[]; cancel: Fees };

/**
 * Returns the forms of a call from the fees of the market up to an eighth below the limit, and the fees of the form that cancels it, at the limit.
 * Nodes take each in the place of those before it. Throws `FeesTooHighError` when the limit allows no form that would be mined now.
 *
 * @param affordable - Maximum fee per gas that the wallet can pay.
 */
export function buildLadder(
  market: Fees,
  limit = DEFAULT_LIMIT * market.maxFeePerGas,
  affordable = limit,
): Ladder {
  // The cancel form must replace the last one, and be at most the limit.
  const top = lower(((limit - 1n) * 1_000n) / 1_125n, affordable);
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
  return { forms, cancel: scaled(limit, forms.at(-1) as Fees) };
}

/** Returns how many forms above the first one nodes would take up to `top`. */
function countSteps(first: Fees, top: bigint): number {
  let [steps, fees] = [0, leastFees(first)];
  while (steps < MAX_RAISED && fees.maxFeePerGas <= top) [steps, fees] = [steps + 1, leastFees(fees)];
  return steps;
}
