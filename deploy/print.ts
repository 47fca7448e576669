/** Prints the plan of a script. */
import type { Call, Estimate, Report } from './forge.ts';
import { describeSelector } from './verify.ts';

const ACTIONS = ['Add', 'Replace', 'Remove'];

export function printCode({ codes }: Report): void {
  console.log('\nContracts');
  for (const { name, deployed, codeHash, size, exists } of codes) {
    console.log(`  ${name.padEnd(18)} ${deployed}  ${exists ? 'exists' : 'to be created'}`);
    console.log(`  ${''.padEnd(18)} ${size} bytes, code hash ${codeHash}`);
  }
}

export function printCuts({ cuts, codes }: Report): void {
  for (const { facetAddress, action, functionSelectors } of cuts) {
    const name = codes.find(({ deployed }) => deployed === facetAddress)?.name ?? 'selectors';
    console.log(`\nCut: ${ACTIONS[action]} ${name} ${facetAddress}`);
    for (const selector of functionSelectors) console.log(`  ${describeSelector(selector)}`);
  }
}

export function printCalls(calls: readonly Call[], estimate: Estimate | undefined): void {
  if (calls.length === 0) {
    console.log('\nNothing to send');
    return;
  }
  console.log('\nTransactions of the deployer, with their gas limits');
  for (const [index, { what }] of calls.entries())
    console.log(`  ${index + 1}. ${String(estimate?.gas[index] ?? '?').padStart(9)}  ${what}`);
  if (estimate)
    console.log(
      `  total ${estimate.totalGas} gas, ${estimate.costEther} ETH at ${estimate.gasPriceGwei} gwei; a rollup adds its data fee`,
    );
}

export function printOwnerCalls(calls: readonly Call[], sender: string): void {
  for (const { what, to, data } of calls)
    console.log(`\nTransaction of ${sender}: ${what}\n  to   ${to}\n  data ${data}`);
}
