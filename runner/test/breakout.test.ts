/** Processes that have escaped from Deno, behind the walls of each configuration: with and without bubblewrap, as root and not. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildSyscallFilter } from '@latchkey/fork-server/syscall-filter';
import { describe, expect, test } from 'vitest';
import type { Reached } from './breakout.ts';

type Report = { standing: string[]; alone: Reached; forked: Reached; runner: Reached };

const program = fileURLToPath(new URL('behind-walls.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;
/** Belongs to no process of the machine. */
const ORDINARY_USER = 65_531;
const asUser = isRoot ? { uid: ORDINARY_USER, gid: ORDINARY_USER } : {};

async function breakOut(user: typeof asUser, missing: string[]): Promise<Report> {
  const options = { ...user, env: { ...process.env, HOME: '/tmp' }, maxBuffer: 2 ** 24 };
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...missing], options);
  return JSON.parse(stdout);
}

const succeeds = (command: string, args: string[], user = {}): boolean =>
  spawnSync(command, args, { ...user, stdio: 'ignore' }).status === 0;
const canMount = (user = {}): boolean =>
  succeeds(
    'unshare',
    [...(user === asUser ? ['-r'] : []), '--mount', 'mount', '-t', 'tmpfs', 'none', '/tmp'],
    user,
  );
const users = [
  { name: 'root', user: {}, walls: ['user'], isPresent: isRoot },
  // The user may not reach the repository.
  {
    name: 'an ordinary user',
    user: asUser,
    walls: [],
    isPresent: succeeds(process.execPath, ['--check', program], asUser),
  },
].map((each) => ({ ...each, canMount: each.isPresent && canMount(each.user) }));
const hasTools = ['ipcmk', 'unshare', 'setpriv'].every((tool) => existsSync(`/usr/bin/${tool}`));
const NOTHING: Reached = { processes: [], files: [], machine: [] };

describe.skipIf(!hasTools || buildSyscallFilter() === undefined)('a process that escaped from Deno', () => {
  for (const { name, user, walls, isPresent, canMount } of users) {
    for (const [tool, missing] of [
      ['bubblewrap', []],
      ['unshare', ['bwrap']],
    ] as const)
      test.skipIf(!canMount || (tool === 'bubblewrap' && !existsSync('/usr/bin/bwrap')))(
        `reaches no process, file or socket behind the walls that ${tool} makes for ${name}`,
        async () => {
          const { standing, ...reached } = await breakOut(user, [...missing]);
          expect(standing.toSorted()).toEqual(['files', 'namespaces', ...walls]);
          expect(reached).toEqual({ alone: NOTHING, forked: NOTHING, runner: NOTHING });
        },
      );

    test.skipIf(!isPresent)(
      `without these tools reaches no other run and no template of ${name}`,
      async () => {
        const { standing, alone, forked } = await breakOut(user, ['bwrap', 'unshare']);
        expect(standing).toEqual(walls);
        expect(forked).toMatchObject({ processes: [], machine: [] });
        // The attack works: without the filter of system calls it gets this far.
        expect(alone.machine).toContain('TCP');
        if (walls.length === 0)
          expect(alone.processes).toEqual(expect.arrayContaining(['write mem', 'PTRACE_SEIZE']));
      },
    );
  }

  test.skipIf(!isRoot)(
    'behind the wall "user" alone reaches no process and no program of the runner',
    async () => {
      const { runner } = await breakOut({}, ['bwrap', 'unshare']);
      expect(runner.processes).toEqual([]);
      expect(runner.files.filter((what) => !/^read |^\w+ in \/(tmp|var\/tmp|dev\/shm)$/.test(what))).toEqual(
        [],
      );
    },
  );
});
