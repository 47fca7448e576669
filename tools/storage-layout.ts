/** `npm run snapshot:storage`: see HELP. `forge inspect` lists no structs at ERC-7201 slots, and compares nothing. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { parseCommand } from '@latchkey/service/parse-command';
import { encodeAbiParameters, type Hex, keccak256, numberToHex, stringToHex } from 'viem';

const HELP = `npm run snapshot:storage [-- --check | --against <ref> | --reset]

Writes the layout of every ERC-7201 namespace to snapshots/storage-layout.json. A layout is append-only: existing fields keep
position and type, and new fields are appended to a struct. Any other change is refused.

  --check          writes nothing; also fails when the snapshot lacks a new field
  --against <ref>  compares with the snapshot of that commit
  --reset          writes any layout: only while no diamond with the old layout is in use`;

const SNAPSHOT = 'snapshots/storage-layout.json';

export interface Field {
  label: string;
  /** The type in solc's notation. */
  type: string;
  /** The first slot, relative to the struct. */
  slot: number;
  /** Bytes from the right end of the slot. */
  offset: number;
  /** Size of the field itself: 32 for a mapping or a dynamic array. */
  bytes: number;
  /** Size of an element, for an array or a mapping to arrays: it determines the position of the next element. */
  elementBytes?: number;
  /** Fields of the struct that this field is, maps to, or has as elements. */
  fields?: Field[];
}

export interface Namespace {
  /** The struct at this slot. */
  struct: string;
  /** keccak256(abi.encode(uint256(keccak256(id)) - 1)) & ~bytes32(uint256(0xff)) */
  slot: Hex;
  fields: Field[];
}

/** Namespaces by their id. */
export type Layout = Record<string, Namespace>;

export interface Comparison {
  /** Changes that break the state of a diamond in use, one sentence each. */
  refused: string[];
  /** New namespaces and fields. */
  added: string[];
}

export function namespaceSlot(id: string): Hex {
  const hash = BigInt(keccak256(stringToHex(id)));
  const slot = BigInt(keccak256(encodeAbiParameters([{ type: 'uint256' }], [hash - 1n])));
  return numberToHex(slot & ~0xffn, { size: 32 });
}

function position({ slot, offset }: Field): string {
  return `slot ${slot}, offset ${offset}`;
}

function compareFields(path: string, before: Field[], after: Field[], result: Comparison): void {
  for (const [i, old] of before.entries()) {
    const name = `${path}.${old.label}`;
    const now = after.find(({ label }) => label === old.label);
    if (!now) {
      result.refused.push(`${name} vanished from ${position(old)}`);
      continue;
    }
    if (now.type !== old.type || now.bytes !== old.bytes || now.elementBytes !== old.elementBytes) {
      const sizes = (field: Field) => `${field.type} of ${field.elementBytes ?? field.bytes} bytes`;
      result.refused.push(`${name} changed its type from ${sizes(old)} to ${sizes(now)}`);
    }
    if (now.slot !== old.slot || now.offset !== old.offset)
      result.refused.push(`${name} moved from ${position(old)} to ${position(now)}`);
    else if (after[i] !== now) result.refused.push(`${name} is no longer field ${i + 1} of its struct`);
    compareFields(name, old.fields ?? [], now.fields ?? [], result);
  }
  const known = new Set(before.map(({ label }) => label));
  for (const [i, { label }] of after.entries())
    if (!known.has(label) && i >= before.length) result.added.push(`${path}.${label}`);
}

/** Compares a layout with the layout in use. */
export function compare(before: Layout, after: Layout): Comparison {
  const result: Comparison = { refused: [], added: [] };
  for (const [id, old] of Object.entries(before)) {
    const now = after[id];
    if (!now) {
      result.refused.push(`${id} vanished`);
      continue;
    }
    if (now.slot !== old.slot) result.refused.push(`${id} moved from ${old.slot} to ${now.slot}`);
    compareFields(id, old.fields, now.fields, result);
  }
  for (const id of Object.keys(after)) if (!before[id]) result.added.push(id);
  return result;
}

interface SolcType {
  label: string;
  numberOfBytes: string;
  base?: string;
  value?: string;
  members?: SolcVariable[];
}

interface SolcVariable {
  label: string;
  type: string;
  slot: string;
  offset: number;
}

interface StorageLayout {
  storage: SolcVariable[];
  types: Record<string, SolcType>;
}

interface SolcOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<string, Record<string, { storageLayout: StorageLayout }>>;
}

interface Declaration {
  id: string;
  library: string;
  struct: string;
  slot: string;
}

/** Returns the structs with an ERC-7201 namespace in the source of a library, and the slot that the library uses. */
export function declarationsIn(source: string): Declaration[] {
  return [...source.matchAll(/@custom:storage-location erc7201:(\S+)\s+struct (\w+)/g)].map((match) => {
    const [, id = '', struct = ''] = match;
    const library = /^library (\w+)/m.exec(source)?.[1];
    const slot = /bytes32 internal constant SLOT = (0x[0-9a-f]{64});/.exec(source)?.[1];
    if (!library || !slot) throw new Error(`${id} needs a library with a constant SLOT`);
    return { id, library, struct: `${library}.${struct}`, slot };
  });
}

/**
 * Returns the layout of the structs in `sources` (text by path) according to solc. Imports are read from the working
 * directory.
 */
export function compileLayout(sources: Record<string, string>): Layout {
  const declarations = Object.entries(sources).flatMap(([path, source]) =>
    declarationsIn(source).map((declaration) => ({ path, ...declaration })),
  );
  // solc reports the layout of state variables only.
  const probe = [
    'pragma solidity 0.8.37;',
    ...declarations.map(({ path, library }) => `import { ${library} } from "${path}";`),
    'contract Probe {',
    ...declarations.map(({ struct }, i) => `${struct} internal namespace${i};`),
    '}',
  ].join('\n');
  const layout = compileProbe(probe, sources);
  return Object.fromEntries(
    declarations.map(({ id, struct, slot }, i) => {
      if (slot !== namespaceSlot(id))
        throw new Error(`${struct} is at ${slot}, but ${id} is at ${namespaceSlot(id)}`);
      const variable = layout.storage[i];
      const fields = variable ? toFields(layout, typeAt(layout, variable.type).members) : [];
      return [id, { struct, slot: namespaceSlot(id), fields }];
    }),
  );
}

/** Returns the layout of the state variables of a contract. */
function compileProbe(probe: string, sources: Record<string, string>): StorageLayout {
  const solc = createRequire(import.meta.url)('solc') as {
    compile(input: string, callbacks: { import(path: string): { contents: string } }): string;
  };
  const input = {
    language: 'Solidity',
    sources: {
      'Probe.sol': { content: probe },
      ...Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
    },
    settings: {
      remappings: readFileSync('remappings.txt', 'utf8').trim().split('\n'),
      outputSelection: { 'Probe.sol': { Probe: ['storageLayout'] } },
    },
  };
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), { import: (path) => ({ contents: readFileSync(path, 'utf8') }) }),
  ) as SolcOutput;
  const errors = output.errors?.filter(({ severity }) => severity === 'error') ?? [];
  const layout = output.contracts?.['Probe.sol']?.Probe?.storageLayout;
  if (errors.length > 0 || !layout)
    throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return layout;
}

function typeAt({ types }: StorageLayout, id: string): SolcType {
  const type = types[id];
  if (!type) throw new Error(`solc reports no type ${id}`);
  return type;
}

function toFields(layout: StorageLayout, members: SolcVariable[] = []): Field[] {
  return members.map(({ label, type: id, slot, offset }) => {
    const type = typeAt(layout, id);
    let inner = type;
    let elementBytes: number | undefined;
    for (let next = inner.value ?? inner.base; next; next = inner.value ?? inner.base) {
      const isArray = inner.base !== undefined;
      inner = typeAt(layout, next);
      if (isArray) elementBytes = Number(inner.numberOfBytes);
    }
    return {
      label,
      type: type.label,
      slot: Number(slot),
      offset,
      bytes: Number(type.numberOfBytes),
      ...(elementBytes !== undefined && { elementBytes }),
      ...(inner.members && { fields: toFields(layout, inner.members) }),
    };
  });
}

function main(): number {
  const { values } = parseCommand(HELP, {
    check: { type: 'boolean' },
    against: { type: 'string' },
    reset: { type: 'boolean' },
  });
  process.chdir(fileURLToPath(new URL('..', import.meta.url)));
  const paths = globSync('contracts/**/*.sol').sort();
  const layout = compileLayout(Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')])));
  let before: Layout = {};
  if (values.against !== undefined) {
    const git = spawnSync('git', ['show', `${values.against}:${SNAPSHOT}`], { encoding: 'utf8' });
    if (git.status !== 0) {
      console.error(git.stderr.trim());
      return 1;
    }
    before = JSON.parse(git.stdout) as Layout;
  } else if (existsSync(SNAPSHOT)) before = JSON.parse(readFileSync(SNAPSHOT, 'utf8')) as Layout;
  const { refused, added } = compare(before, layout);
  for (const sentence of refused) console.error(sentence);
  for (const name of added) console.log(`new: ${name}`);
  if (refused.length > 0 && !values.reset) {
    console.error(
      'The storage layout is append-only: a diamond in use would read its state at the wrong places.',
    );
    return 1;
  }
  if (values.check || values.against !== undefined) {
    if (values.against !== undefined || isDeepStrictEqual(before, layout)) return 0;
    console.error(`${SNAPSHOT} is out of date: run npm run snapshot:storage`);
    return 1;
  }
  mkdirSync('snapshots', { recursive: true });
  writeFileSync(SNAPSHOT, `${JSON.stringify(layout, null, 2)}\n`);
  return 0;
}

if (import.meta.main) process.exitCode = main();
