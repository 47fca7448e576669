/** Formats the output of the parts: one line each, prefixed with the coloured name of the part. */
import { stripVTControlCharacters, styleText } from 'node:util';

export type PartName =
  | 'stack'
  | 'postgres'
  | 'chain'
  | 'deploy'
  | 'keys'
  | `keynode${1 | 2 | 3}`
  | 'indexer'
  | 'stripe'
  | 'runner'
  | 'relayer'
  | 'triggers';

/** One line of output; `stack` marks lines of the stack itself. */
export type OutputLine = { part: PartName; line: string };

const colours = {
  stack: 'bold',
  postgres: 'yellow',
  chain: 'yellow',
  deploy: 'yellow',
  keys: 'yellow',
  keynode1: 'green',
  keynode2: 'green',
  keynode3: 'green',
  indexer: 'magenta',
  stripe: 'green',
  runner: 'cyan',
  relayer: 'cyan',
  triggers: 'blue',
} as const satisfies Record<PartName, string>;
const WIDTH = Math.max(...Object.keys(colours).map((name) => name.length));

/** Numbers of pino. */
const levels: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
/** Repeated by the prefix, or irrelevant on one machine. */
const hidden = new Set(['level', 'time', 'name', 'pid', 'hostname', 'msg', 'err', 'v']);

type LogLine = Record<string, unknown> & { err?: { stack?: unknown; message?: unknown } };

function parse(line: string): LogLine | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return undefined;
  }
}

const WARNING = 40;

/** Whether a person who follows the stack needs the line: what the stack itself says, and the warnings and errors of the parts. */
export function isForPeople({ part, line }: OutputLine): boolean {
  if (part === 'stack') return true;
  const level = parse(line)?.level;
  return (
    level === 'warn' ||
    level === 'error' ||
    level === 'fatal' ||
    (typeof level === 'number' && level >= WARNING)
  );
}

/** Returns a JSON line as text with the error's stack below; any other line without its colours. */
export function readable(line: string): string {
  const entry = parse(line);
  if (entry === undefined) return stripVTControlCharacters(line);
  const level = typeof entry.level === 'number' ? levels[entry.level] : entry.level;
  const fields = Object.entries(entry)
    .filter(([name]) => !hidden.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const words = [...(level === 'info' ? [] : [level]), entry.msg, ...fields];
  const stack = entry.err?.stack ?? entry.err?.message;
  return [words.filter((word) => word !== undefined).join(' '), ...(stack ? [stack] : [])].join('\n');
}

/** Returns a line of output with its line break, without colours when `stream` has none. */
export function format({ part, line }: OutputLine, stream: NodeJS.WritableStream): string {
  const prefix = styleText(colours[part], `${part.padEnd(WIDTH)} │ `, { stream });
  return readable(line)
    .split('\n')
    .map((text) => `${prefix}${text}\n`)
    .join('');
}
