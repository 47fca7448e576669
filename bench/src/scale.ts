/** `npm run bench -- --only scale`: what an operation costs with little and with much stored. Programs: `scale/*.ts`. */
import { judgeRow, type Measured } from './rows.ts';
import type { ScaleOptions, ScaleRow } from './scale/program.ts';

type Program = { measure: (options: ScaleOptions) => Promise<ScaleRow[]> };

/** By name, in the order in which they run. Each is loaded when it runs. */
const programs: Record<string, () => Promise<Program>> = {
  claims: () => import('./scale/claims.ts'),
  ledger: () => import('./scale/ledger.ts'),
  'chain-events': () => import('./scale/chain-events.ts'),
  memory: () => import('./scale/memory.ts'),
  schedules: () => import('./scale/schedules.ts'),
  rebuild: () => import('./scale/rebuild.ts'),
  migration: () => import('./scale/migration.ts'),
  simulation: () => import('./scale/simulation.ts'),
};

export const scaleParts = Object.keys(programs);

const PROGRESS_MS = 5_000;

/** Prints at most one line per five seconds, and the end of each step. */
function progressPrinter(): ScaleOptions['progress'] {
  let nextMs = 0;
  return (step, done, of) => {
    if (done < of && performance.now() < nextMs) return;
    nextMs = performance.now() + PROGRESS_MS;
    console.log(`${step}: ${done} of ${of}`);
  };
}

/** Runs all programs, or the named one, each with `rows` as the size of its larger state, and prints their rows. */
export async function benchScale(rows: number, part?: string): Promise<Measured> {
  for (const [name, load] of Object.entries(programs)) {
    if (part !== undefined && name !== part) continue;
    console.log(`measuring ${name}`);
    const { measure } = await load();
    const measured = await measure({ rows, progress: progressPrinter() });
    console.table(
      measured.map(({ what, value, unit, goal, figures }) => {
        const { values: _, ...shown } = judgeRow({ what, unit, goals: [goal] }, [value]);
        return { ...shown, figures };
      }),
    );
  }
  return { values: {} };
}
