/** Texts that people read, in the language of the page. English is in the sources; `locales/en.json` lists it for translators. */
import { IntlMessageFormat } from 'intl-messageformat';
import { createElement, Fragment, type ReactNode } from 'react';
import { catalogues } from './catalogues.ts';

type Value = string | number | bigint | Date | boolean | null | undefined;
type Tag = (text: ReactNode) => ReactNode;
type Values = { [name: string]: ReactNode | Value | Tag };

// Node 20 has no navigator, and tests run there.
const wanted = (globalThis.navigator?.languages ?? []).flatMap((tag) => [tag, tag.replace(/-.*/, '')]);
const known = ['en', ...Object.keys(catalogues)];

/** The tag of the language: the first that the browser wants and that is known, or English. It is chosen once per page. */
export const locale: string = wanted.find((tag) => known.includes(tag)) ?? 'en';

/** A page whose catalogue was not loaded is in English. */
const catalogue = await catalogues[locale]?.().catch(() => undefined);

const SYNTAX = /[{}<>']/;
const formats = new Map<string, IntlMessageFormat>();

function formatOf(message: string): IntlMessageFormat {
  const known = formats.get(message);
  if (known) return known;
  const format = new IntlMessageFormat(message, locale);
  formats.set(message, format);
  return format;
}

/** The parts of a text as one node, so that they need no keys. */
function nodeOf(parts: ReactNode): ReactNode {
  if (!Array.isArray(parts)) return parts;
  return parts.length === 1 ? parts[0] : createElement(Fragment, null, ...parts);
}

const withNodes = (value: Values[string]) =>
  typeof value === 'function' ? (parts: ReactNode[]) => nodeOf(value(nodeOf(parts))) : value;

/**
 * Returns the text for an English message (ICU MessageFormat). A value can be an element, and the value of a tag is the function that makes
 * its element.
 */
export function t(message: string, values?: { [name: string]: Value }): string;
export function t(message: string, values: Values): ReactNode;
export function t(english: string, values: Values = {}): ReactNode {
  const message = catalogue?.[english] ?? english;
  if (!SYNTAX.test(message)) return message;
  const nodes = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, withNodes(value)]));
  return nodeOf(formatOf(message).format<ReactNode>(nodes as never) as ReactNode);
}
