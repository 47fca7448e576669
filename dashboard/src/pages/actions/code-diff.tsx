/** The changes between two versions of code. Loaded when a page shows them. */
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from 'codemirror';
import { useEffect, useRef } from 'react';
import { t } from '../../i18n.ts';
import { javascriptEditor } from './editor-theme.ts';

const theme = EditorView.theme({
  '.cm-collapsedLines': {
    background: 'var(--mantine-color-default-hover)',
    color: 'var(--mantine-color-text)',
  },
  '.cm-insertedLine, &.cm-merge-b .cm-changedLine': { backgroundColor: 'light-dark(#e2f5e6, #1f3a29)' },
  '.cm-deletedChunk': { backgroundColor: 'light-dark(#fdebec, #40232a)' },
});

/** Lines that are shown around each change. */
const MARGIN = 3;

export default function CodeDiff({ before, after }: { before: string; after: string }) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!parent.current) return undefined;
    const view = new EditorView({
      parent: parent.current,
      doc: after,
      extensions: [
        javascriptEditor,
        theme,
        EditorState.readOnly.of(true),
        unifiedMergeView({
          original: before,
          mergeControls: false,
          collapseUnchanged: { margin: MARGIN, minSize: MARGIN },
        }),
        EditorView.contentAttributes.of({ 'aria-label': t('Changes of the code') }),
      ],
    });
    return () => view.destroy();
  }, [before, after]);
  return <div ref={parent} className="code-editor" />;
}
