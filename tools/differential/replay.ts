/** Runs sequences on the real contract inside forge: `Replay.s.sol` documents the files. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { promisify } from 'node:util';
import { foundryBinary, withForgeCache } from '@latchkey/foundry';
import { root } from '@latchkey/stack';
import { type Address, decodeAbiParameters, encodeAbiParameters, type Hex, hexToBytes } from 'viem';
import { type Call, decodeResult, encodeCall, isView, type Log } from './abi.ts';
import { OWNER } from './pools.ts';
import { CONTRACT_WALLET_CODE } from './signatures.ts';

/** A call to run. */
export interface Made {
  caller: Address;
  now: bigint;
  call: Call;
}

/** The result of a call. */
export interface Result {
  success: boolean;
  returned: Hex;
  logs: Log[];
}

export interface Section<T> {
  preparation: T[];
  sequences: T[][];
}

/** Runs sequences of calls on the real contract. */
export interface Executor {
  /** The address of the contract. */
  contract: Address;
  /** Runs the sequences of each section on its preparation. */
  run: (owner: Address, sections: Section<Made>[]) => Promise<Section<Result>[]>;
}

function prefixed(parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

function encodeStep({ caller, now, call }: Made): Buffer {
  const data = Buffer.from(encodeCall(call).slice(2), 'hex');
  const head = Buffer.alloc(33);
  head[0] = isView(call.name) ? 1 : 0;
  head.set(hexToBytes(caller), 1);
  head.writeBigUInt64BE(now, 21);
  head.writeUInt32BE(data.length, 29);
  return Buffer.concat([head, data]);
}

const encodeSequence = (steps: Made[]) => prefixed(steps.map(encodeStep));

/** The preparations are the same in every run. */
const encodedPreparations = new WeakMap<Made[], Buffer>();

function encodePreparation(steps: Made[]): Buffer {
  const encoded = encodedPreparations.get(steps) ?? encodeSequence(steps);
  encodedPreparations.set(steps, encoded);
  return encoded;
}

const LOGS = [
  {
    type: 'tuple[]',
    components: [
      { name: 'topics', type: 'bytes32[]' },
      { name: 'data', type: 'bytes' },
      { name: 'emitter', type: 'address' },
    ],
  },
] as const;
const NO_LOGS = encodeAbiParameters(LOGS, [[]]);

/** Runs sequences on a new contract inside forge. Its address follows from its code. */
export async function createReplay(): Promise<Executor> {
  const call: Call = { name: 'eip712Domain', args: [] };
  const made = { caller: OWNER, now: 1n, call };
  const [section] = await run(OWNER, [{ preparation: [made], sequences: [] }]);
  const [, , , , contract] = decodeResult(call.name, section?.preparation[0]?.returned ?? '0x');
  return { contract: contract as Address, run };
}

async function run(owner: Address, sections: Section<Made>[]): Promise<Section<Result>[]> {
  await mkdir(join(root, '.data'), { recursive: true });
  const directory = await mkdtemp(join(root, '.data', 'differential-'));
  try {
    const calls = sections.map(({ preparation, sequences }) =>
      prefixed([encodePreparation(preparation), ...sequences.map(encodeSequence)]),
    );
    await writeFile(join(directory, 'wallet'), hexToBytes(CONTRACT_WALLET_CODE));
    await writeFile(join(directory, 'calls'), Buffer.concat([hexToBytes(owner), ...calls]));
    await forge(relative(root, directory));
    return decodeResults(await readFile(join(directory, 'results')), sections);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function forge(directory: string): Promise<void> {
  const args = ['script', 'test/differential/Replay.s.sol:Replay', '--sig', 'run(string)', directory];
  const limits = ['--gas-limit', '9000000000000000000', '--memory-limit', '1000000000'];
  const env = { ...process.env, FOUNDRY_SCRIPT_EXECUTION_PROTECTION: 'false' };
  await withForgeCache((cache) =>
    promisify(execFile)(foundryBinary('forge'), [...args, ...limits], {
      cwd: root,
      env: { ...env, ...cache },
    }),
  );
}

function decodeLogs(logs: Hex): Log[] {
  if (logs === NO_LOGS) return [];
  const [decoded] = decodeAbiParameters(LOGS, logs);
  return decoded.map(({ topics, data }) => ({ topics: [...topics], data }));
}

function decodeResults(results: Buffer, sections: Section<Made>[]): Section<Result>[] {
  let at = 0;
  const bytes = (): Hex => {
    const length = results.readUInt32BE(at);
    const start = at + 4;
    at = start + length;
    return `0x${results.toString('hex', start, at)}`;
  };
  const one = ({ call }: Made): Result => {
    const success = results[at++] === 1;
    const returned = bytes();
    if (isView(call.name)) return { success, returned, logs: [] };
    const logs = bytes();
    return {
      success,
      returned,
      // Decoded on access, because the logs of most preparations are not read.
      get logs() {
        return success ? decodeLogs(logs) : [];
      },
    };
  };
  const decoded = sections.map(({ preparation, sequences }) => ({
    preparation: preparation.map(one),
    sequences: sequences.map((steps) => steps.map(one)),
  }));
  if (at !== results.length) throw new Error(`${results.length - at} bytes of results are left over`);
  return decoded;
}
