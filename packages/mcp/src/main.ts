#!/usr/bin/env node
/** The command `latchkey-mcp`. */
import { parseArgs } from 'node:util';
import { CommandError } from '@latchkey/command/errors';
import { oneLine, safeLines } from '@latchkey/command/text';
import { LatchkeyError } from '@latchkey/sdk';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import manifest from '../package.json' with { type: 'json' };
import { readCredentials } from './credentials.ts';
import { pair } from './pair.ts';
import { createServer } from './server.ts';

const HELP = `latchkey-mcp         serves MCP on stdin and stdout
latchkey-mcp pair    pairs an agent with an account, for the tools on triggers

LATCHKEY_URL               URL of the relayer (default: http://127.0.0.1:8000)
LATCHKEY_USAGE_KEY         usage key that runs actions
LATCHKEY_USAGE_KEY_FILE    file with the usage key
LATCHKEY_TRIGGERS_URL      URL of the trigger service
LATCHKEY_TRIGGERS_TOKEN    token of a paired agent (default: that of latchkey-mcp pair)
LATCHKEY_AGENT_FILE        file of latchkey-mcp pair (default: $XDG_CONFIG_HOME/latchkey/agent.json)

--help, --version          print this text, or the version
`;

async function serve(): Promise<void> {
  const server = createServer(await readCredentials(process.env));
  server.server.onerror = ({ message }) => process.stderr.write(`${oneLine(message)}\n`);
  await server.connect(new StdioServerTransport());
}

function parse(): { help: boolean; version: boolean; command: string | undefined } {
  const options = {
    help: { type: 'boolean', default: false },
    version: { type: 'boolean', default: false },
  } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [command, ...others] = positionals;
    if (others.length === 0 && (command === undefined || command === 'pair')) return { ...values, command };
  } catch {
    // An unknown option.
  }
  throw new CommandError('unknown arguments', HELP, 2);
}

async function main(): Promise<void> {
  const { help, version, command } = parse();
  if (help) process.stdout.write(HELP);
  else if (version) process.stdout.write(`${manifest.version}\n`);
  else await (command === 'pair' ? pair(process.env) : serve());
}

// The client may end first.
process.stdout.on('error', () => process.exit(1));

try {
  await main();
} catch (error) {
  if (!(error instanceof CommandError || error instanceof LatchkeyError)) throw error;
  process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  process.stderr.write(`${safeLines([error.message, error.fix ?? ''].join('\n').trim())}\n`);
}
