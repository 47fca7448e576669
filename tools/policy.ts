/** `npm run policy`: builds, explains and simulates policies. See docs/policies.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  buildCode,
  CodeError,
  type Decision,
  evaluate,
  explainPolicy,
  type Policy,
  PolicyFormatError,
  parsePolicy,
  RequestError,
  readCode,
  readRequest,
} from '@latchkey/policy';
import { cidOf, parseStrictJson } from '@latchkey/protocol';
import { exitWithMistake, parseCommand } from '@latchkey/service/parse-command';

const HELP = `Builds, explains and simulates policies: what a wallet may sign and send. docs/policies.md describes their language.

  npm run policy -- build <policy.json> [--out <file>] [--force]
  npm run policy -- explain <policy.json | code.js>
  npm run policy -- simulate <policy.json | code.js> <request.json> [--time <time>]

build     writes the code of the action with the policy in it, and prints its CID, which a group permits. The same policy
          always has the same CID, whatever the order of its fields.
explain   prints the policy in sentences. Of code, only when it is exactly what build makes of the policy in it.
simulate  prints whether the request would be allowed, and which rule decides. Exits with 1 when it would be refused.

  --out <file>   file of the code (default: the name of the policy with .js)
  --force        replaces an existing file that has other code
  --time <time>  time of the request, like 2027-01-31T12:00:00Z (default: now)

<request.json> has the js_params of the action: kind, pkpId and the fields of the kind. It may also have "used": an object with
the sum of each limit in its window, like {"daily": "500"}. Without it, nothing is used.`;

/** A mistake in an input. */
class InputError extends Error {}

const { values, positionals } = parseCommand(
  HELP,
  { out: { type: 'string' }, force: { type: 'boolean', default: false }, time: { type: 'string' } },
  { allowPositionals: true },
);

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new InputError(`${path}: no such file`);
  }
}

function readJson(path: string): unknown {
  const text = read(path);
  try {
    return parseStrictJson(text);
  } catch (error) {
    throw new InputError(`${path}: not JSON: ${(error as Error).message}`);
  }
}

/** Reads a policy, or the code that was built from one. */
function readPolicy(path: string): Policy {
  try {
    return path.endsWith('.json') ? parsePolicy(readJson(path)) : readCode(read(path));
  } catch (error) {
    if (error instanceof PolicyFormatError || error instanceof CodeError)
      throw new InputError(error.message.replaceAll(/^/gm, `${path}: `));
    throw error;
  }
}

async function build(path: string): Promise<number> {
  const code = buildCode(readPolicy(path));
  const out = values.out ?? path.replace(/(\.json)?$/, '.js');
  if (!values.force && existsSync(out) && read(out) !== code)
    throw new InputError(`${out} exists with other code: add --force, or choose another file with --out`);
  writeFileSync(out, code);
  console.error(`wrote ${out}`);
  console.log(await cidOf(code));
  return 0;
}

async function explain(path: string): Promise<number> {
  const policy = readPolicy(path);
  console.log(`${explainPolicy(policy)}\n\nCID: ${await cidOf(buildCode(policy))}`);
  return 0;
}

function readTime(): number {
  const time = values.time === undefined ? Date.now() : Date.parse(values.time);
  if (Number.isNaN(time))
    throw new InputError(`--time: "${values.time}" is not a time. Use 2027-01-31T12:00:00Z.`);
  return time;
}

/** Returns the sums of limits that a request gives, without them the request. */
function splitUsed(path: string, value: unknown): { used: Map<string, bigint>; params: unknown } {
  if (typeof value !== 'object' || value === null || !('used' in value))
    return { used: new Map(), params: value };
  const { used, ...params } = value;
  const entries = Object.entries(used ?? {});
  for (const [name, sum] of entries)
    if (!/^\d{1,78}$/.test(String(sum))) throw new InputError(`${path}: used.${name}: expected an integer`);
  return { used: new Map(entries.map(([name, sum]) => [name, BigInt(String(sum))])), params };
}

/** Prints a verdict. Returns the exit code. */
function report(decision: Decision, used: Map<string, bigint>): number {
  if (!decision.allowed) {
    console.log(`refused: ${decision.reason}`);
    return 1;
  }
  for (const { rule, uses } of decision.candidates) {
    const full = uses.find(
      ({ name, amount, limit }) => (used.get(name) ?? 0n) + BigInt(amount) > BigInt(limit),
    );
    if (full) {
      console.log(`"${rule}" allows it, but its limit "${full.name}" of ${full.limit} is reached`);
      continue;
    }
    console.log(`allowed by the rule "${rule}"`);
    for (const { name, amount, limit } of uses)
      console.log(
        `  takes ${amount} of the limit "${name}": ${(used.get(name) ?? 0n) + BigInt(amount)} of ${limit} used then`,
      );
    return 0;
  }
  console.log('refused: the limits of the rules that allow it are reached');
  return 1;
}

async function simulate(path: string, requestPath: string): Promise<number> {
  const policy = readPolicy(path);
  const { used, params } = splitUsed(requestPath, readJson(requestPath));
  try {
    return report(evaluate(policy, readRequest(params), readTime()), used);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    console.log(`refused: ${error.message}`);
    return 1;
  }
}

async function main(): Promise<number> {
  const [command, path, requestPath, ...rest] = positionals;
  const count = command === 'simulate' ? 2 : 1;
  const given = [path, requestPath, ...rest].filter((operand) => operand !== undefined).length;
  if (command !== 'build' && command !== 'explain' && command !== 'simulate')
    return exitWithMistake(HELP, command === undefined ? 'Name a command.' : `Unknown command: ${command}`);
  if (given !== count || path === undefined)
    return exitWithMistake(HELP, `${command} takes ${count === 2 ? 'a policy and a request' : 'one file'}.`);
  if (command === 'build') return build(path);
  return command === 'explain' ? explain(path) : simulate(path, requestPath as string);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.exitCode = 2;
  console.error(error instanceof InputError ? error.message : error);
}
