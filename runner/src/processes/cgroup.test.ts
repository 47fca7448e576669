import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { denoBinary } from '@latchkey/fork-server';
import { eventually } from '@latchkey/fork-server/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { plainSpawner } from '../testing.ts';
import { type ActionProcess, startProcess } from './action-process.ts';
import { type Cgroup, openCgroups } from './cgroup.ts';
import { openProcessUsage } from './process-usage.ts';
import { noWalls } from './walls.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'latchkey-cgroup-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const probe = openCgroups();
const holdsMemory = probe.controllers.some((name) => name.startsWith('memory'));
const sharesProcessor = probe.controllers.some((name) => name.startsWith('cpu'));
const holdsThreads = probe.controllers.some((name) => name.startsWith('pids'));
probe.close();

/** Starts a process that runs `script` when it receives a run. */
async function start(script: string, cgroups: ReturnType<typeof openCgroups>): Promise<ActionProcess> {
  const scriptPath = join(directory, 'runtime.js');
  const ready = JSON.stringify({ type: 'ready' });
  await writeFile(
    scriptPath,
    `const json = new TextEncoder().encode('${ready}');
     const frame = new Uint8Array(8 + json.length);
     const view = new DataView(frame.buffer);
     view.setUint32(0, 4 + json.length);
     view.setUint32(4, json.length);
     frame.set(json, 8);
     Deno.stdout.writeSync(frame);
     await Deno.stdin.read(new Uint8Array(1));
     ${script}`,
  );
  await mkdir(join(directory, 'empty'), { recursive: true });
  const spawner = plainSpawner({
    scriptPath,
    cwd: join(directory, 'empty'),
    cacheDir: join(directory, 'deno'),
    memoryLimitMb: 64,
    timeoutMs: 60_000,
    walls: noWalls({ deno: denoBinary() }),
  });
  return startProcess({ spawner, maxFrameBytes: 1_000_000, cgroups });
}
const begin = (process: ActionProcess) =>
  process.send({
    type: 'run',
    jsParams: '',
    timeoutMs: 60_000,
    maxResponseBytes: 0,
    maxRequestBodyBytes: 0,
    maxFrameBytes: 0,
  });
const forever = 'await new Promise(() => setInterval(() => {}, 1000));';

describe.skipIf(!holdsMemory)('the memory controller', () => {
  test('ends a process at its limit without the host', async () => {
    const cgroups = openCgroups();
    const process = await start(`const kept = []; for (;;) kept.push(new Uint8Array(1e6).fill(1));`, cgroups);
    process.limitMemory(64e6);
    await begin(process);
    expect(await process.exited).toMatchObject({ signal: 'SIGKILL', ranOutOfMemory: true });
    cgroups.close();
  });

  test('does not end a process within its limit', async () => {
    const cgroups = openCgroups();
    const process = await start(`globalThis.kept = new Uint8Array(40e6).fill(1); ${forever}`, cgroups);
    process.limitMemory(64e6);
    const before = process.anonymousBytes();
    await begin(process);
    await eventually(() => process.anonymousBytes() > before + 39e6);
    process.kill();
    expect(await process.exited).toMatchObject({ ranOutOfMemory: false });
    cgroups.close();
  });
});

test.skipIf(!holdsThreads)('a process joins its group and leaves none behind', async () => {
  const cgroups = openCgroups();
  let files: string[] = [];
  const process = await start(forever, {
    ...cgroups,
    create: () => {
      const group = cgroups.create();
      files = group.procsFiles;
      return group;
    },
  });
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect(await readFile(file, 'utf8')).toMatch(/^\d+\n$/);
  process.kill();
  await process.exited;
  for (const file of files) await eventually(() => readFileSync(file, 'utf8') === '');
  expect(cgroups.create().procsFiles).toEqual(files);
  cgroups.close();
});

test.skipIf(!holdsThreads)('a process has 48 threads at most', async () => {
  const cgroups = openCgroups();
  const group = cgroups.create();
  const limits = group.procsFiles
    .map((file) => join(dirname(file), 'pids.max'))
    .filter(existsSync)
    .map((file) => readFileSync(file, 'utf8'));
  expect(limits).toEqual(['48\n']);
  group.remove();
  cgroups.close();
});

test.skipIf(!holdsMemory)('the next process of a group has its own memory limit', async () => {
  const cgroups = openCgroups();
  const first = await start(`const kept = []; for (;;) kept.push(new Uint8Array(1e6).fill(1));`, cgroups);
  first.limitMemory(64e6);
  await begin(first);
  expect(await first.exited).toMatchObject({ ranOutOfMemory: true });
  const second = await start(`globalThis.kept = new Uint8Array(200e6).fill(1); ${forever}`, cgroups);
  const before = second.anonymousBytes();
  await begin(second);
  await eventually(() => second.anonymousBytes() > before + 190e6);
  second.kill();
  expect(await second.exited).toMatchObject({ ranOutOfMemory: false });
  cgroups.close();
});

test.skipIf(!sharesProcessor)(
  'a process has the weight of an account, or a part of it, and the next one of its group all of it again',
  async () => {
    const cgroups = openCgroups();
    const weightOf = ({ procsFiles }: Cgroup): number => {
      const [file = ''] = procsFiles.flatMap((path) =>
        ['cpu.shares', 'cpu.weight'].map((name) => join(dirname(path), name)).filter(existsSync),
      );
      return Number(readFileSync(file, 'utf8')) / (file.endsWith('shares') ? 1_024 : 100);
    };
    const first = cgroups.create();
    expect(weightOf(first)).toBe(1 / 2);
    first.weigh(1 / 8);
    // The kernel has whole numbers.
    expect(weightOf(first)).toBeCloseTo(1 / 16, 1);
    first.remove();
    const second = cgroups.create();
    expect(second.procsFiles).toEqual(first.procsFiles);
    expect(weightOf(second)).toBe(1 / 2);
    second.remove();
    cgroups.close();
  },
);

test.skipIf(!sharesProcessor)(
  'the kernel gives a busy process the part of the processor that it weighs',
  async () => {
    const cgroups = openCgroups();
    const [light, heavy] = [1 / 8, 1].map((part) => {
      const group = cgroups.create();
      group.weigh(part);
      const loop = spawn('taskset', ['--cpu-list', '0', 'sh', '-c', 'while :; do :; done']);
      return { group, loop, pid: loop.pid as number, usage: openProcessUsage(loop.pid as number) };
    }) as [Loop, Loop];
    await Promise.all([light, heavy].map(({ group, pid }) => group.join(pid)));
    const before = [light.usage.cpuMs(), heavy.usage.cpuMs()] as const;
    await eventually(() => heavy.usage.cpuMs() > before[1] + 300);
    expect(light.usage.cpuMs() - before[0]).toBeLessThan(150);
    for (const { group, loop, usage } of [light, heavy]) {
      loop.kill('SIGKILL');
      await once(loop, 'exit');
      usage.close();
      group.remove();
    }
    cgroups.close();
  },
);
type Loop = { group: Cgroup; loop: ChildProcess; pid: number; usage: ReturnType<typeof openProcessUsage> };

describe('version 2', () => {
  /** Makes a tree of files like the tree of a delegated group. */
  async function delegated(controllers: string): Promise<string> {
    const own = join(directory, 'system.slice/latchkey.service');
    await mkdir(own, { recursive: true });
    await writeFile(join(own, 'cgroup.controllers'), controllers);
    await writeFile(join(own, 'cgroup.subtree_control'), '');
    return own;
  }
  const open = () =>
    openCgroups([{ directory, version: 2, names: [] }], '0::/system.slice/latchkey.service\n');

  test('creates no group without a controller', async () => {
    await delegated('cpuset io');
    expect(open().controllers).toEqual([]);
  });

  test('removes the groups that a killed runner left behind, and no other', async () => {
    const own = await delegated('cpu');
    const ended = spawn('true');
    await once(ended, 'exit');
    const left = [`latchkey-actions-${ended.pid}-1`, `latchkey-actions-${ended.pid}-12`];
    const kept = [`latchkey-actions-${process.ppid}-1`, `other-${ended.pid}-1`];
    for (const name of [...left, ...kept]) await mkdir(join(own, name));
    open();
    expect(left.filter((name) => existsSync(join(own, name)))).toEqual([]);
    expect(kept.filter((name) => existsSync(join(own, name)))).toEqual(kept);
  });

  test('a process has a part of half the weight of a new group', async () => {
    const own = await delegated('cpu');
    const group = open().create();
    const weightFile = join(own, `latchkey-actions-${process.pid}-1`, 'cpu.weight');
    expect(await readFile(weightFile, 'utf8')).toBe('50');
    group.weigh(1 / 8);
    expect(await readFile(weightFile, 'utf8')).toBe('7');
  });

  test('a process stays where it is when its group is gone', async () => {
    const own = await delegated('cpu');
    const group = open().create();
    await rm(own, { recursive: true });
    await expect(group.join(process.pid)).resolves.toBeUndefined();
    group.weigh(1);
    group.remove();
  });

  test('creates no group on a machine without control groups', () => {
    const cgroups = openCgroups([], '');
    expect(cgroups.controllers).toEqual([]);
    const group = cgroups.create();
    expect(group.procsFiles).toEqual([]);
    group.limitMemory(1);
    expect(group.ranOutOfMemory()).toBe(false);
    group.remove();
    cgroups.close();
  });
});
