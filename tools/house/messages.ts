/** The texts of the dashboard: each goes through `t`, and `dashboard/locales/en.json` lists them. */
import { type Expression, type JSXElementName, type Node, Visitor } from 'oxc-parser';
import type { Checkout, Script } from './sources.ts';
import { lineAt } from './sources.ts';

const SOURCES = 'dashboard/src/';
export const CATALOGUE = 'dashboard/locales/en.json';

/** Attributes and members that people read. */
const READ = new Set([
  'about',
  'aria-label',
  'confirm',
  'description',
  'done',
  'label',
  'none',
  'nothingFoundMessage',
  'placeholder',
  'title',
  'why',
]);
/** Elements whose text is code. */
const CODE = new Set(['Code', 'CodeBlock']);
/** Names, which no language changes. */
const NAMES = new Set(['Latchkey']);

const WORD = /\p{L}{2}/u;

export const textsOfDashboard = ({ scripts }: Checkout): Script[] =>
  scripts.filter(({ path, isTest }) => path.startsWith(SOURCES) && !isTest);

/** The messages of a file, and what keeps one from being found: the first argument of `t` is a literal. */
function readMessages({ path, text, program }: Script): { messages: string[]; unreadable: string[] } {
  const messages: string[] = [];
  const unreadable: string[] = [];
  new Visitor({
    CallExpression: ({ callee, arguments: [message], start }) => {
      if (callee.type !== 'Identifier' || callee.name !== 't') return;
      const fault = (words: string) =>
        unreadable.push(`${path}:${lineAt(text, start)}: the message ${words}`);
      if (message?.type !== 'Literal' || typeof message.value !== 'string') return fault('is not a literal');
      messages.push(message.value);
      if (message.value !== message.value.trim()) fault('is a part of one: it begins or ends with a space');
    },
  }).visit(program);
  return { messages, unreadable };
}

/** The catalogue as the sources have it, sorted by messages. */
export function catalogueOf(scripts: readonly Script[]): string {
  const messages = new Set(scripts.flatMap((script) => readMessages(script).messages));
  const sorted = [...messages].sort();
  return `${JSON.stringify(Object.fromEntries(sorted.map((message) => [message, message])), null, 2)}\n`;
}

/** A text that people read without `t`. */
type Found = { text: string; start: number };

/** The texts that an expression can have. */
function textsIn(node: Expression | Node | null): Found[] {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [{ text: node.value, start: node.start }] : [];
    case 'TemplateLiteral':
      return [{ text: node.quasis.map(({ value }) => value.raw).join(' '), start: node.start }];
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].flatMap(textsIn);
    case 'LogicalExpression':
      return (node.operator === '&&' ? [node.right] : [node.left, node.right]).flatMap(textsIn);
    case 'JSXExpressionContainer':
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
      return textsIn(node.expression);
    default:
      return [];
  }
}

const nameOf = (name: JSXElementName): string => (name.type === 'JSXIdentifier' ? name.name : '');

/** Returns the texts that people read and that are not in the catalogue. */
export function findUntranslated(script: Script): string[] {
  const found: Found[] = [];
  new Visitor({
    JSXElement: ({ openingElement, children }) => {
      if (CODE.has(nameOf(openingElement.name))) return;
      for (const child of children)
        if (child.type === 'JSXText') found.push({ text: child.value, start: child.start });
        else found.push(...textsIn(child));
    },
    JSXFragment: ({ children }) => {
      for (const child of children)
        if (child.type === 'JSXText') found.push({ text: child.value, start: child.start });
        else found.push(...textsIn(child));
    },
    JSXAttribute: ({ name, value }) => {
      if (name.type === 'JSXIdentifier' && READ.has(name.name)) found.push(...textsIn(value));
      if (name.type === 'JSXIdentifier' && name.name === 'facts') found.push(...namesOfFacts(value));
    },
    Property: ({ key, value }) => {
      const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? key.value : undefined;
      if (typeof name === 'string' && READ.has(name)) found.push(...textsIn(value));
    },
  }).visit(script.program);
  const { unreadable } = readMessages(script);
  const places = found
    .filter(({ text }) => WORD.test(text) && !NAMES.has(text.trim()))
    .map(({ text, start }) => `${script.path}:${lineAt(script.text, start)}: ${text.trim()}`);
  return [...places, ...unreadable];
}

/** The names of a table of facts that are members of the object in its attribute. */
function namesOfFacts(node: Node | null): Found[] {
  if (node?.type !== 'JSXExpressionContainer' || node.expression.type !== 'ObjectExpression') return [];
  return node.expression.properties.flatMap((property) => {
    if (property.type !== 'Property' || property.computed) return [];
    const { key } = property;
    if (key.type === 'Identifier') return [{ text: key.name, start: key.start }];
    return textsIn(key);
  });
}

/** Returns the catalogue when it is not the one of the sources. */
export const findStale = (stored: string, scripts: readonly Script[]): string[] =>
  stored === catalogueOf(scripts) ? [] : [`${CATALOGUE}: \`npm run messages\` writes it`];
