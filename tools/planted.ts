/**
 * `npm run planted -- [--only TEXT]`: plants each bug of tools/mutation/planted.json into the contracts and fails for one that the
 * invariants of test/invariant do not find.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseCommand } from '@latchkey/service/parse-command';
import { parse, readSources, solidityFiles } from './mutation/compiler.ts';
import type { Edit, Mutant } from './mutation/recorder.ts';
import { run } from './mutation/run.ts';

interface PlantedEdit {
  /** Below contracts/. */
  file: string;
  /** A statement or expression that occurs once in the file, or its first occurrence after `after`. */
  old: string;
  new: string;
  after?: string;
}

const HELP = `npm run planted -- [--only TEXT]

  --only TEXT  bugs of tools/mutation/planted.json whose name contains the text`;

const { values: options } = parseCommand(HELP, { only: { type: 'string', default: '' } });
const sources = readSources(['contracts', 'test/harness'].flatMap(solidityFiles));
const trees = { asts: parse(sources), sources };
const bugs = JSON.parse(readFileSync('tools/mutation/planted.json', 'utf8')) as Record<string, PlantedEdit[]>;

function editOf(planted: PlantedEdit): Edit {
  const file = `contracts/${planted.file}`;
  const source = sources[file] as string;
  const from = planted.after ? source.indexOf(planted.after) : 0;
  const start = source.indexOf(planted.old, from);
  const isOnce = planted.after !== undefined || source.indexOf(planted.old, start + 1) < 0;
  if (from < 0 || start < 0 || !isOnce) throw new Error(`${file} does not have once: ${planted.old}`);
  const kind = planted.old.endsWith(';') ? 'statement' : 'expression';
  return { file, start, end: start + planted.old.length, text: planted.new, kind };
}

const mutants = Object.entries(bugs)
  .filter(([name]) => name.includes(options.only))
  .map(([id, planted]): Mutant => {
    const edits = planted.map(editOf);
    const file = edits[0]?.file as string;
    return { id, file, function: '', line: 0, operator: 'planted', edits, switches: edits };
  });
const build = spawnSync(process.execPath, ['tools/forge.ts', 'build'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(1);
let missed = 0;
const numbers = mutants.map((_, i) => i + 1);
await run({ trees, mutants }, [{ type: 'planted', numbers }], (_task, { number, status, by }) => {
  if (status === 'survived') missed++;
  console.log(
    `${status === 'survived' ? 'MISSED' : 'found '} ${mutants[number - 1]?.id}${by ? ` (${by})` : ''}`,
  );
});
console.log(`${mutants.length - missed} of ${mutants.length} bugs were found`);
process.exit(missed === 0 && mutants.length > 0 ? 0 : 1);
