import { ensureSyntaxTree } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import { t } from '../../i18n.ts';

const MAX_MARKERS = 20;
const PARSE_MS = 200;

/** Returns the places at which the parser of the editor guessed. */
export function findSyntaxErrors(state: EditorState): Diagnostic[] {
  const found: Diagnostic[] = [];
  const { length } = state.doc;
  ensureSyntaxTree(state, length, PARSE_MS)?.iterate({
    enter: ({ type, from, to }) => {
      if (!type.isError || found.length === MAX_MARKERS) return;
      // A missing token has no length, and can be at the end.
      const start = Math.max(0, Math.min(from, length - 1));
      found.push({
        from: start,
        to: Math.max(to, Math.min(start + 1, length)),
        severity: 'error',
        message: t('The code does not parse here.'),
      });
    },
  });
  return found;
}
