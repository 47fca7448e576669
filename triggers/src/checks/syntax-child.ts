/**
 * Reads the code of an action from the standard input and prints its syntax error as JSON, or `null`. A separate process, because
 * code that is nested deeply overflows the stack of the parser.
 */
import { text } from 'node:stream/consumers';
import { parseSync } from 'oxc-parser';
import type { SyntaxFault } from './syntax.ts';

/** Returns the first syntax error with its offset. */
function findError(
  code: string,
  sourceType: 'script' | 'module',
): { at: number; message: string } | undefined {
  const { errors } = parseSync('action.js', code, { sourceType, lang: 'js', showSemanticErrors: true });
  return errors
    .filter(({ severity }) => severity === 'Error')
    .map(({ labels, message }) => ({ at: labels[0]?.start ?? 0, message }))
    .sort((a, b) => a.at - b.at)[0];
}

/** Like the runtime, parses the code as a classic script and as a module: of two errors, the later one in the code counts. */
function findFault(code: string): SyntaxFault | null {
  const script = findError(code, 'script');
  const module = script && findError(code, 'module');
  if (!script || !module) return null;
  const { at, message } = script.at < module.at ? module : script;
  const lines = code.slice(0, at).split(/\r\n|[\n\r\u2028\u2029]/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, message };
}

process.stdout.write(JSON.stringify(findFault(await text(process.stdin))));
