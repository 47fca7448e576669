/** `npm run differential -- --help` */
import { parseCommand, parseCount } from '@latchkey/service/parse-command';
import { type Counts, Disagreement, differential, unreached } from './differential.ts';
import { createReplay } from './replay.ts';

const HELP = `npm run differential -- [--sequences N] [--seed S] [--from I] [--batch N]

Runs random sequences of calls on the model and on AccountConfig: results, reverts, events, views and the state
rebuilt from the events must be equal. Exits with 1 at the first difference, and when 1,000 or more sequences do
not reach a function, an error, an event or a rule.

--sequences  number of sequences (300)
--seed       an integer that determines all of them (1)
--from       number of the first sequence (0)
--batch      sequences per run of forge (300)`;

/** Number of sequences that reaches everything. */
const ENOUGH = 1000;

const { values } = parseCommand(HELP, {
  sequences: { type: 'string', default: '300' },
  seed: { type: 'string', default: '1' },
  from: { type: 'string', default: '0' },
  batch: { type: 'string', default: '300' },
});
const integer = (name: keyof typeof values, least: number) => parseCount(HELP, name, values[name], least);

const started = performance.now();
const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
const table = (title: string, map: Map<string, number>) =>
  [title, ...[...map].sort().map(([name, count]) => `  ${name} ${count}`)].join('\n');
const summary = ({ sequences, writes, views, events }: Counts) =>
  `${sequences} sequences, ${writes} calls, ${views} views, ${events} events, ${seconds()} s`;

try {
  const counts = await differential({
    seed: integer('seed', 0),
    from: integer('from', 0),
    sequences: integer('sequences', 1),
    batch: integer('batch', 1),
    execute: await createReplay(),
    onProgress: (counts) => console.log(summary(counts)),
  });
  console.log(table('successes', counts.successes));
  console.log(table('reverts', counts.reverts));
  console.log(table('events', counts.eventsByName));
  console.log(table('rules about the action / the wallet', counts.rules));
  const never = unreached(counts);
  if (never.length > 0 && counts.sequences >= ENOUGH) {
    console.error(`never reached: ${never.join(', ')}`);
    process.exit(1);
  }
  console.log(`no difference: ${summary(counts)}`);
} catch (error) {
  if (!(error instanceof Disagreement)) throw error;
  console.error(error.message);
  process.exit(1);
}
