/** Phrases that the writing guide replaces, in a file. */
import { type Pattern, phrases, pictures } from './patterns.ts';
import { namesOf, type Text, textsOf } from './texts.ts';

export type Finding = { phrase: string; fix: string; excerpt: string; offset: number };

export function findProse(path: string, content: string): Finding[] {
  return [
    ...textsOf(path, content).flatMap((text) => findIn(text, [...phrases, ...pictures])),
    ...namesOf(path, content).flatMap((text) => findIn(text, pictures)),
  ].sort((a, b) => a.offset - b.offset);
}

function findIn({ text, offset }: Text, patterns: Pattern[]): Finding[] {
  return patterns.flatMap(({ phrase, pattern, fix }) =>
    [...text.matchAll(pattern)].map((match) => ({
      phrase,
      fix,
      excerpt: text.slice(Math.max(0, match.index - 20), match.index + 40),
      offset,
    })),
  );
}
