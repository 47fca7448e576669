/**
 * `npm run facets`: the facets of the diamond as forge compiled them. They have exactly the functions of IAccountConfig,
 * each once and as it is declared there, no two functions share a selector, and every facet fits into a contract.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** EIP-170, in bytes. */
export const MAX_CODE_SIZE = 24_576;

interface Parameter {
  type: string;
  components?: Parameter[];
}

interface AbiItem {
  type: string;
  name?: string;
  inputs?: Parameter[];
  outputs?: Parameter[];
  stateMutability?: string;
}

/** What of forge's artifact is read. */
export interface Artifact {
  abi: AbiItem[];
  /** Selector (8 hex digits) by signature. */
  methodIdentifiers: Record<string, string>;
  deployedBytecode: { object: string };
}

export interface Contract extends Artifact {
  name: string;
}

function typeOf({ type, components }: Parameter): string {
  return components ? `(${components.map(typeOf).join(',')})${type.slice('tuple'.length)}` : type;
}

/** How a function may be called and what it returns, by its signature. */
function declarations({ abi }: Artifact): Map<string, string> {
  return new Map(
    abi
      .filter(({ type }) => type === 'function')
      .map(({ name, inputs = [], outputs = [], stateMutability }) => [
        `${name}(${inputs.map(typeOf).join(',')})`,
        `${stateMutability} returns (${outputs.map(typeOf).join(',')})`,
      ]),
  );
}

/** @returns What is wrong with the functions of the facets, a sentence each. */
export function wrongFunctions(declared: Contract, facets: Contract[]): string[] {
  const wrong: string[] = [];
  const inInterface = declarations(declared);
  const holders = new Map<string, { signature: string; name: string }>();
  for (const [signature, selector] of Object.entries(declared.methodIdentifiers)) {
    const other = holders.get(selector);
    if (other)
      wrong.push(`${signature} and ${other.signature} of ${declared.name} share the selector 0x${selector}`);
    else holders.set(selector, { signature, name: declared.name });
  }
  const served = new Map<string, string>();
  for (const facet of facets) {
    const inFacet = declarations(facet);
    for (const [signature, selector] of Object.entries(facet.methodIdentifiers)) {
      const other = holders.get(selector);
      if (other && other.signature !== signature)
        wrong.push(
          `${signature} of ${facet.name} and ${other.signature} of ${other.name} share the selector 0x${selector}`,
        );
      else holders.set(selector, { signature, name: facet.name });
      const server = served.get(signature);
      if (server) wrong.push(`${signature} (0x${selector}) is in ${server} and in ${facet.name}`);
      served.set(signature, facet.name);
      const expected = inInterface.get(signature);
      const found = inFacet.get(signature);
      if (expected === undefined) wrong.push(`${signature} of ${facet.name} is missing in ${declared.name}`);
      else if (found !== expected)
        wrong.push(`${signature} is ${found} in ${facet.name}, but ${expected} in ${declared.name}`);
    }
  }
  for (const signature of inInterface.keys())
    if (!served.has(signature)) wrong.push(`${signature} of ${declared.name} is in no facet`);
  return wrong;
}

/** In bytes. */
export function codeSize({ deployedBytecode }: Artifact): number {
  return (deployedBytecode.object.length - '0x'.length) / 2;
}

/** @returns Which contracts are too large, a sentence each. */
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
  const wrong = [...wrongFunctions(read('IAccountConfig'), facets), ...oversized(contracts)];
  for (const sentence of wrong) console.error(sentence);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
