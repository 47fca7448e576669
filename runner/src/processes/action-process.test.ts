import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { DenoProcess } from '@latchkey/fork-server';
import { denoBinary } from '@latchkey/fork-server';
import { descendants, kernelLimits } from '@latchkey/fork-server/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { plainSpawner } from '../testing.ts';
import { startProcess } from './action-process.ts';
import { curvePathOf } from './bundle.ts';
import { noWalls } from './walls.ts';

const MIB = 2 ** 20;

test('Deno permits a process to read its compiled curve, and nothing else', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-action-process-'));
  const scriptPath = join(directory, 'runtime.js');
  const cwd = join(directory, 'empty');
  await mkdir(cwd);
  await writeFile(curvePathOf(scriptPath), 'curve');
  await writeFile(
    scriptPath,
    `const read = (path) => { try { return Deno.readTextFileSync(path); } catch (error) { return error.name; } };
     const states = ['read', 'write', 'net', 'env', 'sys', 'run', 'ffi', 'import'].map(
       (name) => Deno.permissions.requestSync({ name }).state);
     console.error(JSON.stringify([
       read(${JSON.stringify(curvePathOf(scriptPath))}), read(${JSON.stringify(scriptPath)}), read('/etc/passwd'),
       ...new Set(states),
     ]));`,
  );
  const spawner = plainSpawner({
    scriptPath,
    cwd,
    cacheDir: join(directory, 'deno'),
    walls: noWalls({ deno: denoBinary() }),
    memoryLimitMb: 64,
    timeoutMs: 60_000,
  });
  const started = startProcess({ spawner, maxFrameBytes: 1_000_000 });
  // The process ends before it is ready. The error has its output.
  await expect(started).rejects.toThrow('["curve","NotCapable","NotCapable","denied"]');
  await rm(directory, { recursive: true });
});

const frameOf = (message: object): Buffer => {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(4 + json.length, 0);
  head.writeUInt32BE(json.length, 4);
  return Buffer.concat([head, json]);
};

test.runIf(process.platform === 'linux')(
  'the kernel limits the private memory and the processor time of a process that is not forked',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-action-process-'));
    const scriptPath = join(directory, 'runtime.js');
    const frame = JSON.stringify([...frameOf({ type: 'ready' })]);
    await writeFile(
      scriptPath,
      `Deno.stdout.writeSync(new Uint8Array(${frame})); await Deno.stdin.read(new Uint8Array(1));`,
    );
    const before = new Set(descendants(process.pid));
    const spawner = plainSpawner({
      scriptPath,
      cwd: directory,
      cacheDir: join(directory, 'deno'),
      memoryLimitMb: 64,
      timeoutMs: 5_000,
      walls: noWalls({ deno: denoBinary() }),
    });
    const started = await startProcess({ spawner, maxFrameBytes: 1_000_000 });
    onTestFinished(async () => {
      started.kill();
      await started.exited;
      await rm(directory, { recursive: true });
    });
    const [pid = 0] = descendants(process.pid).filter((id) => !before.has(id));
    expect(kernelLimits(pid)).toMatchObject({ 'Max data size': (640 + 4 * 64) * MIB, 'Max cpu time': 70 });
  },
);

/** Starts a process whose output is what the test writes. */
async function startWritten() {
  const output = new PassThrough({ highWaterMark: 1024 * 1024 });
  const kill = vi.fn();
  output.write(frameOf({ type: 'ready' }));
  const deno: DenoProcess = {
    input: new PassThrough(),
    output,
    kill,
    isReady() {},
    exited: new Promise(() => {}),
    pid: () => NO_PROCESS,
  };
  const actionProcess = await startProcess({
    spawner: { spawn: async () => deno },
    maxFrameBytes: 1_000_000,
  });
  return { actionProcess, output, kill };
}
/** Larger than every process id. */
const NO_PROCESS = 2 ** 22 + 1;

describe('frames of a process', () => {
  const log = (index: number) => frameOf({ type: 'log', text: String(index) });
  const logs = Array.from({ length: 2_000 }, (_, index) => log(index));

  test('that come together are read in their order, with turns of the event loop between them', async () => {
    const { actionProcess, output } = await startWritten();
    let turns = 0;
    const count = (): void => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const seen: { text: string; turn: number }[] = [];
    actionProcess.onMessage = (message) => {
      if (message.type === 'log') seen.push({ text: message.text, turn: turns });
    };
    output.write(Buffer.concat(logs));
    output.write(log(2_000));
    await vi.waitFor(() => expect(seen).toHaveLength(2_001));
    clearImmediate(timer);
    expect(seen.map(({ text }) => Number(text))).toEqual(Array.from({ length: 2_001 }, (_, index) => index));
    const perTurn = Object.values(Object.groupBy(seen, ({ turn }) => turn)).map((group = []) => group.length);
    expect(Math.max(...perTurn)).toBeLessThan(400);
  });

  test('that take long are read a few per turn', async () => {
    const { actionProcess, output } = await startWritten();
    const seen: number[] = [];
    let turns = 0;
    actionProcess.onMessage = () => {
      if (seen.length === 0) count();
      seen.push(turns);
      const endsAt = performance.now() + 1;
      while (performance.now() < endsAt);
    };
    const count = (): void => {
      turns++;
      if (seen.length < 20) setImmediate(count);
    };
    output.write(
      Buffer.concat(Array.from({ length: 20 }, () => frameOf({ type: 'log', text: 'x'.repeat(200) }))),
    );
    await vi.waitFor(() => expect(seen).toHaveLength(20));
    expect(new Set(seen).size).toBeGreaterThan(5);
  });

  test('that come faster than 16 MiB per second are read no faster', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { actionProcess, output } = await startWritten();
    const frame = frameOf({ type: 'log', text: 'x'.repeat(64 * 1024) });
    let readBytes = 0;
    actionProcess.onMessage = (_message, _body, frameBytes) => {
      readBytes += frameBytes;
    };
    let writtenBytes = 0;
    const write = (): void => {
      for (let isTaken = true; isTaken && writtenBytes < 64 * MIB; writtenBytes += frame.length)
        isTaken = output.write(frame);
    };
    output.on('drain', write);
    write();
    /** Waits until the process writes no more. */
    const blocked = async (): Promise<void> => {
      for (let before = -1; before < writtenBytes; ) {
        before = writtenBytes;
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      }
    };
    for (const second of [1, 2, 3]) {
      await blocked();
      expect(readBytes).toBeGreaterThanOrEqual(second * 15 * MIB);
      expect(readBytes).toBeLessThan(second * 17 * MIB);
      expect(writtenBytes - readBytes).toBeLessThan(4 * MIB);
      vi.advanceTimersByTime(999);
      await blocked();
      expect(readBytes).toBeLessThan(second * 17 * MIB);
      vi.advanceTimersByTime(1);
    }
  });

  test('after one that violates the protocol are ignored', async () => {
    const { actionProcess, output, kill } = await startWritten();
    const seen: string[] = [];
    actionProcess.onMessage = ({ type }) => void seen.push(type);
    const violated = new Promise<void>((resolve) => {
      actionProcess.onViolation = resolve;
    });
    output.write(Buffer.concat([log(0), frameOf({ type: 'unknown' }), ...logs]));
    output.write(log(0));
    await violated;
    await delay(20);
    expect(seen).toEqual(['log']);
    expect(kill).toHaveBeenCalledOnce();
  });
});
