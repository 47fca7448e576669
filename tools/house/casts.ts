/** Casts that switch the type checker off: `as never`, `as any`, `as unknown as`. */
import { Visitor } from 'oxc-parser';
import { lineAt, type Script } from './sources.ts';

export function findCasts({ path, text, program }: Script): string[] {
  const found: string[] = [];
  new Visitor({
    TSAsExpression({ expression, typeAnnotation: { type }, start }) {
      const isDouble =
        expression.type === 'TSAsExpression' && expression.typeAnnotation.type === 'TSUnknownKeyword';
      const isBlunt = type === 'TSNeverKeyword' || type === 'TSAnyKeyword';
      if (isDouble || isBlunt) found.push(`${path}:${lineAt(text, start)}`);
    },
  }).visit(program);
  return found;
}
