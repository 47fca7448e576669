/** The mutants that Stryker makes of files. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

type Position = { line: number; column: number };

/** A mutant of Stryker's instrumenter. Lines and columns count from 0. */
export type Found = {
  id: string;
  fileName: string;
  mutatorName: string;
  replacement: string;
  location: { start: Position; end: Position };
};

export type Mutant = { id: string; file: string; line: number; place: string };

/** A file in a report. Lines and columns count from 1. */
export type Reported = { mutants: (Omit<Found, 'fileName'> & { status: string })[] };

/** Returns where a mutant is, and what it changes. `first`: the number of the first line and column. */
export function place({ fileName, mutatorName, replacement, location }: Omit<Found, 'id'>, first: 0 | 1 = 0) {
  const at = ({ line, column }: Position) => `${line - first}:${column - first}`;
  const file = relative(process.cwd(), fileName);
  return `${file}:${at(location.start)}-${at(location.end)} ${mutatorName} ${replacement}`;
}

/** Texts for people, of errors, logs and spans: readers check them. */
const SENTENCE = /^\S+ \S+ \S/;

const MODULES = '../stryker/node_modules/';
const silent = new Proxy({}, { get: () => () => false });

/** Returns the mutants of the files, with ids without line numbers: `file: mutator: old → new`. */
export async function findMutants(files: string[]): Promise<Mutant[]> {
  const { createInjector } = await import(`${MODULES}typed-inject/dist/src/index.js`);
  const { createInstrumenter } = await import(`${MODULES}@stryker-mutator/instrumenter/dist/src/index.js`);
  const instrumenter = createInjector().provideValue('logger', silent).injectFunction(createInstrumenter);
  const contents = new Map(files.map((name) => [name, readFileSync(name, 'utf8')]));
  const { mutants }: { mutants: Found[] } = await instrumenter.instrument(
    files.map((name) => ({ name, mutate: true, content: contents.get(name) })),
    { plugins: null, excludedMutations: [], ignorers: [], noHeader: false },
  );
  const counts = new Map<string, number>();
  return mutants.flatMap((found) => {
    const old = textAt(contents.get(found.fileName) as string, found.location);
    if (found.mutatorName === 'StringLiteral' && SENTENCE.test(old)) return [];
    const name = `${found.fileName}: ${found.mutatorName}: ${short(old)} → ${short(found.replacement)}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const id = count > 1 ? `${name} #${count}` : name;
    return { id, file: found.fileName, line: found.location.start.line + 1, place: place(found) };
  });
}

function textAt(content: string, { start, end }: Found['location']): string {
  const lines = content.split('\n').slice(start.line, end.line + 1);
  lines[lines.length - 1] = (lines.at(-1) as string).slice(0, end.column);
  lines[0] = (lines[0] as string).slice(start.column);
  return lines.join('\n');
}

const SHOWN = 70;
function short(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ').trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}
