/** Texts of a program: routes, the name of the domain of signatures, modules and code in texts. */
import { MODULES, PATHS, TEXTS } from './names.ts';
import type { Edit, Note } from './places.ts';
import { type Analysis, type Node, nodesOf } from './scopes.ts';

const names = Object.keys(PATHS).join('|');
/** A route by itself, below `/`, below `core/v1/`, or in a URL. */
const PATH = RegExp(`^((?:https?://[^\\s?#]+|/core/v1)?/|core/v1/)?(${names})(?=$|[?#])`);
const CODE = /\bLit\??\.(?:Actions|Auth)\b|\bLit(?:Actions|Auth)\b/;

/** A part of the source that is a text. `isAfter`, `isBefore`: a value of a template comes before or after it. */
type Text = { start: number; text: string; isAfter: boolean; isBefore: boolean };

function textOf(node: Node, source: string, { parentOf }: Analysis): Text | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string')
    return {
      start: node.start + 1,
      text: source.slice(node.start + 1, node.end - 1),
      isAfter: false,
      isBefore: false,
    };
  if (node.type !== 'TemplateElement') return undefined;
  const { raw } = node.value as { raw: string };
  const offset = source.slice(node.start, node.end).indexOf(raw);
  if (offset < 0) return undefined;
  const quasis = nodesOf(parentOf(node).parent.quasis);
  const index = quasis.indexOf(node);
  return { start: node.start + offset, text: raw, isAfter: index > 0, isBefore: index < quasis.length - 1 };
}

/** Returns the text of a module that is imported or required. */
function moduleOf(node: Node, { parentOf }: Analysis): string | undefined {
  if (node.type !== 'Literal' || typeof node.value !== 'string') return undefined;
  const { parent, key } = parentOf(node);
  const callee = parent.callee as Node | undefined;
  const isRequired = parent.type === 'CallExpression' && callee?.name === 'require' && key === 'arguments';
  return key === 'source' || isRequired ? node.value : undefined;
}

function editOf({ start, text, isAfter, isBefore }: Text): Edit | undefined {
  const whole = isAfter || isBefore ? undefined : TEXTS[text];
  if (whole !== undefined) return { start, end: start + text.length, text: whole };
  const [route, prefix, name = ''] = PATH.exec(text) ?? [];
  if (route === undefined || (isBefore && route === text)) return undefined;
  // Without a path before it, the word can have another meaning.
  if (prefix === undefined && (isAfter || name === 'lit_action')) return undefined;
  const end = start + route.length;
  return { start: end - name.length, end, text: PATHS[name] ?? name };
}

function reasonFor(text: string): string | undefined {
  if (CODE.test(text)) return 'code of an action in a text: put it into a file of its own, and migrate that';
  if (/\blitprotocol\.com\b/.test(text)) return 'a URL of the other service: use that of your relayer';
  if (text === 'lit_action') return 'if this is the route, it is svc_action';
  return undefined;
}

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** Returns the edits of texts, the places that a person must change, and whether the program imports the client of the other system. */
export function findTexts(source: string, analysis: Analysis) {
  const edits: Edit[] = [];
  const notes: Note[] = [];
  let isClient = false;
  for (const node of analysis.nodes) {
    const specifier = moduleOf(node, analysis);
    const found =
      specifier === undefined ? undefined : MODULES.find(({ pattern }) => pattern.test(specifier));
    if (specifier !== undefined && found)
      notes.push({ start: node.start, name: specifier, reason: found.fix });
    isClient ||= found?.isClient ?? false;
    const text = specifier === undefined ? textOf(node, source, analysis) : undefined;
    if (!text) continue;
    const edit = editOf(text);
    if (edit) edits.push(edit);
    const reason = reasonFor(text.text);
    if (reason !== undefined) notes.push({ start: text.start, name: shorten(text.text), reason });
  }
  return { edits, notes, isClient };
}
