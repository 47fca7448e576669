/** Help of the editor: marks where code does not parse, and completes the names of the environment of actions. */

import members from 'virtual:action-environment';
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { javascriptLanguage } from '@codemirror/lang-javascript';
import { linter } from '@codemirror/lint';
import { findSyntaxErrors } from './syntax-errors.ts';

/** Completes the members of `Svc.Actions` and ethers after the dot. */
function completeMember(context: CompletionContext): CompletionResult | null {
  const before = context.matchBefore(/\b[\w.]+\.\w*/);
  if (!before) return null;
  const dot = before.text.lastIndexOf('.');
  const named = members[before.text.slice(0, dot)];
  if (!named) return null;
  return {
    from: before.from + dot + 1,
    options: named.map(({ name, type, about }) => ({
      label: name,
      type: type === undefined ? 'property' : 'function',
      ...(type !== undefined && { info: `${type}\n\n${about}` }),
    })),
    validFor: /^\w*$/,
  };
}

export const editorHelp = [
  linter(({ state }) => findSyntaxErrors(state)),
  javascriptLanguage.data.of({ autocomplete: completeMember }),
];
