/** `npm run facets`: prints the code sizes of the diamond and its facets. Each must fit into a contract. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Limit of EIP-170 in bytes. */
export const MAX_CODE_SIZE = 24_576;

/** The used part of forge's artifact. */
interface Artifact {
  /** Selector (8 hex digits) by signature. */
  methodIdentifiers: Record<string, string>;
  deployedBytecode: { object: string };
}

export interface Contract extends Artifact {
  name: string;
}

export function codeSize({ deployedBytecode }: Artifact): number {
  return (deployedBytecode.object.length - '0x'.length) / 2;
}

/** Returns one sentence per contract over the limit. */
export function oversized(contracts: Contract[]): string[] {
  return contracts
    .filter((contract) => codeSize(contract) > MAX_CODE_SIZE)
    .map((contract) => `${contract.name} has ${codeSize(contract)} bytes, over ${MAX_CODE_SIZE}`);
}

function read(name: string): Contract {
  const file = new URL(`../out/${name}.sol/${name}.json`, import.meta.url);
  return { name, ...(JSON.parse(readFileSync(file, 'utf8')) as Artifact) };
}

if (import.meta.main) {
  const facets = readdirSync(new URL('../contracts/facets', import.meta.url))
    .filter((file) => file.endsWith('.sol'))
    .map((file) => read(basename(file, '.sol')));
  const contracts = [read('AccountConfig'), ...facets];
  console.log('contract            bytes  margin  functions');
  for (const contract of contracts) {
    const size = codeSize(contract);
    const functions = Object.keys(contract.methodIdentifiers).length;
    console.log(
      `${contract.name.padEnd(18)}${String(size).padStart(7)}${String(MAX_CODE_SIZE - size).padStart(8)}${String(functions).padStart(11)}`,
    );
  }
  const tooLarge = oversized(contracts);
  for (const sentence of tooLarge) console.error(sentence);
  process.exitCode = tooLarge.length === 0 ? 0 : 1;
}
