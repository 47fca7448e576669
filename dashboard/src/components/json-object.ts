/** Returns the JSON object of a text, or why it is not a JSON object, with the place. */
import { t } from '../i18n.ts';
export function parseObject(text: string): { value: { [name: string]: unknown } } | { error: string } {
  const json = text.trim() === '' ? '{}' : text;
  const problem = problemOf(json);
  if (problem !== undefined) {
    // Chromium repeats the text after the token.
    const shown = { problem: problem.replace(/, .*is not valid JSON$/s, '') };
    return {
      error: /line \d+/.test(problem)
        ? t('This is not JSON: {problem}.', shown)
        : t('This is not JSON: {problem}, line {line} column {column}.', {
            ...shown,
            ...placeOf(problem, json),
          }),
    };
  }
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { error: t('Write a JSON object: \'{\'"name": "value"\'}\'.') };
  return { value: value as { [name: string]: unknown } };
}

/** Returns the JSON object of a text. Throws why it is not one. */
export function readObject(text: string): { [name: string]: unknown } {
  const parsed = parseObject(text);
  if ('error' in parsed) throw new Error(parsed.error);
  return parsed.value;
}

function problemOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/** Chromium gives a position for most problems only. */
function placeOf(problem: string, text: string): { line: number; column: number } {
  const given = /position (\d+)/.exec(problem);
  const position = given ? Number(given[1]) : findToken(text);
  const lines = text.slice(0, position).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

/** Returns the position of an unexpected token: the shortest text that has it ends there. Otherwise the end of the text. */
function findToken(text: string): number {
  const hasToken = (length: number) => problemOf(text.slice(0, length))?.startsWith('Unexpected token');
  if (!hasToken(text.length)) return text.length;
  let [without, having] = [0, text.length];
  while (having - without > 1) {
    const middle = (having + without) >> 1;
    if (hasToken(middle)) having = middle;
    else without = middle;
  }
  return without;
}
