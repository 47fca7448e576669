import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProcess } from './action-process.ts';
import { curvePathOf } from './bundle.ts';
import { denoBinary } from './deno-binary.ts';
import { noWalls } from './walls.ts';

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
  const started = startProcess({
    ...{ scriptPath, cwd, cacheDir: join(directory, 'deno'), walls: noWalls({ deno: denoBinary() }) },
    ...{ memoryLimitMb: 64, timeoutMs: 60_000, maxFrameBytes: 1_000_000 },
  });
  // It ends without having been ready, with what it wrote.
  await expect(started).rejects.toThrow('["curve","NotCapable","NotCapable","denied"]');
  await rm(directory, { recursive: true });
});
