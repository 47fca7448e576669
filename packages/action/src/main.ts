/** The command `latchkey`. See HELP. */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { cidOf } from '@latchkey/protocol';
import { createClient, LatchkeyError } from '@latchkey/sdk';
import { compile } from './compile.ts';
import { openAccount } from './open-account.ts';

const HELP = `latchkey action run <file> [--param <name>=<value> ...] [--params <file>] [--key <usage key>] [--url <url>]
latchkey action cid <file>
latchkey action build <file>

run    runs a JavaScript or TypeScript file as an action. Its output goes to stderr as it comes, its response as JSON to stdout.
       Ends with 1 when the action failed. Ctrl-C stops the run.
cid    prints the CID of the action, to permit it in a group.
build  prints the code of the action: types are removed, and relative imports are bundled.

  --param <name>=<value>  a parameter of main: JSON, or text when it is not JSON
  --params <file>         JSON file with the parameters of main
  --key <usage key>       default: LATCHKEY_USAGE_KEY
  --url <url>             of the relayer; default: LATCHKEY_URL or http://127.0.0.1:8000
  --new-account           opens an account with a wallet and a usage key for every action, and prints them`;

class UsageError extends Error {}

const { values, positionals } = parseCommand();

function parseCommand() {
  try {
    return parseArgs({
      options: {
        param: { type: 'string', multiple: true, default: [] },
        params: { type: 'string' },
        key: { type: 'string' },
        url: { type: 'string' },
        'new-account': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
}

async function readParams(): Promise<{ [name: string]: unknown }> {
  const params = values.params === undefined ? {} : await readParamsFile(values.params);
  for (const text of values.param) {
    const split = text.indexOf('=');
    if (split < 1) throw new UsageError(`--param takes <name>=<value>, not "${text}"`);
    params[text.slice(0, split)] = parseValue(text.slice(split + 1));
  }
  return params;
}

async function readParamsFile(path: string): Promise<{ [name: string]: unknown }> {
  const text = await readFile(path, 'utf8');
  try {
    const params = JSON.parse(text);
    if (params !== null && typeof params === 'object' && !Array.isArray(params)) return params;
  } catch {
    // Told below.
  }
  throw new Error(`${path}: expected a JSON object with the parameters of main`);
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function run(path: string): Promise<number> {
  const url = values.url ?? process.env.LATCHKEY_URL ?? 'http://127.0.0.1:8000';
  const jsParams = await readParams();
  const code = await compile(path);
  let apiKey = values.key ?? process.env.LATCHKEY_USAGE_KEY;
  if (values['new-account']) {
    const opened = await openAccount(url);
    for (const [name, value] of Object.entries(opened)) console.error(`${name}=${value}`);
    apiKey = opened.LATCHKEY_USAGE_KEY;
    jsParams.pkpId ??= opened.PKP_ID;
  }
  if (apiKey === undefined)
    throw new UsageError('Give a usage key: --key or LATCHKEY_USAGE_KEY, or --new-account for a new one.');

  const client = createClient({ url, apiKey });
  let runId: string | undefined;
  process.once('SIGINT', () => {
    if (runId === undefined) process.exit(130);
    client.stopRun({ runId }).catch(() => process.exit(130));
  });
  const result = await client.runAction(
    { code, jsParams },
    {
      onStart: (start) => {
        runId = start.runId;
      },
      onLog: (text) => process.stderr.write(text),
    },
  );
  const cents = Number(result.costMicros) / 10_000;
  console.error(
    `run ${result.runId}: ${result.hasError ? 'failed' : 'success'}, ${cents} ${cents === 1 ? 'cent' : 'cents'}`,
  );
  if (result.error) console.error(result.error.stack);
  else console.log(JSON.stringify(result.response, null, 2));
  return result.hasError ? 1 : 0;
}

async function main(): Promise<number> {
  const [topic, command, path, ...rest] = positionals;
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (positionals.length === 0) throw new UsageError('Name a command.');
  const isKnown = command === 'run' || command === 'cid' || command === 'build';
  if (topic !== 'action' || !isKnown) throw new UsageError('Unknown command.');
  if (path === undefined) throw new UsageError(`Name the file: latchkey action ${command} <file>`);
  if (rest.length > 0) throw new UsageError('Name one file only.');
  if (command === 'run') return run(path);
  const code = await compile(path);
  process.stdout.write(command === 'cid' ? `${await cidOf(code)}\n` : code);
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isMisuse = error instanceof UsageError;
  // Causes of other errors are in their message: esbuild's have file and line, the relayer's say what to do.
  const fix = error instanceof LatchkeyError && error.fix !== undefined ? `\n${error.fix}` : '';
  console.error(`${(error as Error).message}${fix}${isMisuse ? `\n\n${HELP}` : ''}`);
  process.exitCode = isMisuse ? 2 : 1;
}
