/** Extracts the texts of a file: comments, strings of several words, paragraphs. */
import { Visitor } from 'oxc-parser';
import { isScript, parseScript } from '../house/sources.ts';

/** A text with single spaces as whitespace, and the offset of its start in the file. */
export type Text = { text: string; offset: number };

/** Matches at least three words. */
const SENTENCE = /[a-z]+[^a-z\n]+\s+\S*[a-z]+\S*\s+\S*[a-z]|[a-z]+\s+\S*[a-z]+\S*\s+\S*[a-z]/i;

export function textsOf(path: string, content: string): Text[] {
  if (isScript(path)) return [...textsOfScript(path, content)].map(joinLines);
  if (path.endsWith('.sol')) return textsIn(content, SOLIDITY).map(joinLines);
  if (path.endsWith('.sql')) return textsIn(content, SQL).map(joinLines);
  if (path.endsWith('.md')) return textsOfMarkdown(content).map(joinLines);
  return [];
}

/** Returns the words of the path and of the identifiers, with camel case separated. */
export function namesOf(path: string, content: string): Text[] {
  const names = [{ text: path, offset: 0 }];
  if (isScript(path)) {
    const { program } = parseScript(path, content);
    new Visitor({
      Identifier: ({ name, start }) => void names.push({ text: name, offset: start }),
    }).visit(program);
  }
  return names.map(({ text, offset }) => ({
    text: text.replaceAll(/([a-z])([A-Z])|[^a-zA-Z]+/g, '$1 $2'),
    offset,
  }));
}

function textsOfScript(path: string, content: string): Text[] {
  const { program, comments } = parseScript(path, content);
  const found = joinLineComments(
    comments.map(({ type, start, end }) => ({
      text: content.slice(start, end),
      offset: start,
      isLine: type === 'Line',
    })),
    content,
  );
  const add = (text: string, offset: number): void => {
    if (SENTENCE.test(text)) found.push({ text, offset });
  };
  new Visitor({
    Literal: ({ value, start }) => {
      if (typeof value === 'string') add(value, start);
    },
    TemplateLiteral: ({ quasis, start }) =>
      add(quasis.map(({ value }) => value.cooked ?? '').join('…'), start),
    JSXText: ({ value, start }) => add(value, start),
  }).visit(program);
  return found;
}

type Comment = Text & { isLine: boolean };

/** Joins line comments on consecutive lines into one text. */
function joinLineComments(comments: Comment[], content: string): Text[] {
  const joined: (Comment & { end: number })[] = [];
  for (const comment of comments) {
    const last = joined.at(-1);
    const end = comment.offset + comment.text.length;
    if (last?.isLine && comment.isLine && /^\r?\n[ \t]*$/.test(content.slice(last.end, comment.offset)))
      joined.splice(-1, 1, { ...last, text: `${last.text}\n${comment.text}`, end });
    else joined.push({ ...comment, end });
  }
  return joined;
}

const SOLIDITY = /(\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)|(\/\*[\s\S]*?\*\/)|"(?:[^"\\\n]|\\.)*"/g;

const SQL = /(--[^\n]*(?:\n[ \t]*--[^\n]*)*)|(\/\*[\s\S]*?\*\/)|'(?:[^']|'')*'/g;

/** Returns comments, and strings of several words. */
function textsIn(content: string, pattern: RegExp): Text[] {
  return [...content.matchAll(pattern)]
    .map((match) => ({ text: match[0], offset: match.index }))
    .filter(({ text }) => /^[/-]/.test(text) || SENTENCE.test(text));
}

/** Returns paragraphs, list items and table cells, without code. */
function textsOfMarkdown(content: string): Text[] {
  const prose = content
    .replaceAll(/^( *)```[\s\S]*?^\1```/gm, (code) => code.replaceAll(/[^\n]/g, ' '))
    .replaceAll(/`[^`\n]*`/g, (code) => '_'.repeat(code.length));
  return [
    ...prose.matchAll(
      /(?:^(?!\s*$)(?!\s*(?:[-*#>|]|\d+\.) ?).+\n?)+|^\s*(?:[-*#>|]|\d+\.).*\n?(?:^ {2,}(?![-*|]).+\n?)*/gm,
    ),
  ].map((match) => ({ text: match[0], offset: match.index }));
}

/** Removes comment signs, NatSpec tags and line breaks. */
function joinLines({ text, offset }: Text): Text {
  const words = text
    .replaceAll(/^[ \t]*(?:\/\*\*?|\/\/\/?|\*\/?|--|["'`])[ \t]?/gm, '')
    .replaceAll(/\*\/|@(?:notice|dev|return|param \w+|title)\b/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return { text: words, offset };
}
