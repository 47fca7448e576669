/**
 * `npm run coverage`: lists the blocks and branches of contracts/ that no forge test covers. A place is covered when a
 * revert there makes a passing test fail. An uncovered place must have its reason in REASONS. `forge coverage` is not used: it compiles
 * with `--ir-minimum`, which makes its places inexact.
 */
import { spawnSync } from 'node:child_process';
import { parse, readSources, solidityFiles } from './mutation/compiler.ts';
import { findProbes, type Probe } from './mutation/probes.ts';
import { readReasons } from './mutation/reasons.ts';
import { progress, run } from './mutation/run.ts';

const REASONS = 'tools/mutation/uncovered.json';

if (process.argv.includes('--help')) {
  console.log(
    `npm run coverage: lines and branches of contracts/ that the forge tests cover. Reasons: ${REASONS}`,
  );
  process.exit(0);
}
const build = spawnSync(process.execPath, ['tools/forge.ts', 'build'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(1);

const sources = readSources(solidityFiles('contracts'));
const trees = { asts: parse(sources), sources };
const { probes, switched } = findProbes(trees);
const covered = new Set<Probe>();
const show = progress(probes.length);
const half = Math.ceil(probes.length / 2);
const numbers = probes.map((_, i) => i + 1);
let finished = 0;
await run(
  { trees, mutants: probes, switched },
  [numbers.slice(0, half), numbers.slice(half)].map((part) => ({ type: 'together', numbers: part })),
  (_, { number, status }) => {
    if (status === 'killed') covered.add(probes[number - 1] as Probe);
    show(++finished);
  },
);

const share = (part: number, all: number) => `${part} of ${all}`;
function row(file: string, of: Probe[]) {
  const lines = (among: Probe[]) => new Set(among.flatMap((p) => p.lines.map((line) => `${p.file}:${line}`)));
  const missed = lines(of.filter((p) => !covered.has(p)));
  const all = lines(of);
  const branches = of.filter(({ kind }) => kind !== 'end of block');
  return {
    file,
    lines: share(all.size - missed.size, all.size),
    branches: share(branches.filter((p) => covered.has(p)).length, branches.length),
  };
}
console.table(
  [...Map.groupBy(probes, ({ file }) => file), ['all', probes] as const].map(([f, of]) => row(f, of)),
);

const reasons = readReasons(REASONS);
const open = new Map(probes.filter((probe) => !covered.has(probe)).map((probe) => [probe.id, probe]));
const unexplained = [...open.values()].filter(({ id }) => !reasons.has(id));
const stale = [...reasons.keys()].filter((id) => !open.has(id));
for (const { id, file, line } of unexplained) console.log(`not covered: ${id} (${file}:${line})`);
for (const id of stale) console.log(`covered or missing, but has a reason: ${id}`);
process.exit(unexplained.length + stale.length === 0 ? 0 : 1);
