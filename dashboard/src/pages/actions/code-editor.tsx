/** CodeMirror with JavaScript. Loaded when a page shows it. */
import { javascript } from '@codemirror/lang-javascript';
import { syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { classHighlighter } from '@lezer/highlight';
import { basicSetup, EditorView } from 'codemirror';
import { useEffect, useRef } from 'react';

/** Colours of the page, light and dark; see `.tok-…` in style.css. */
const theme = EditorView.theme({
  '&': { fontSize: '13px', backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', maxHeight: '60vh' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-default-hover)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(#c5d3ff, #34417a) !important',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'light-dark(#00000008, #ffffff0a)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'light-dark(#bfe8c9, #2f5a3c)' },
});

/** The field for new code is as high as code of some lines. */
const writing = EditorView.theme({ '.cm-content, .cm-gutter': { minHeight: '260px' } });

/** Tab indents. CodeMirror lets the next Tab pass after Escape, so that it leaves the editor. */
const indentWithTab = EditorView.domEventHandlers({
  keydown: (event, view) => {
    if (event.key !== 'Tab' || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
    view.dispatch(view.state.replaceSelection('  '));
    return true;
  },
});

export default function CodeEditor({
  initial,
  onChange,
}: {
  initial: string;
  /** Without it, the code cannot be changed. */
  onChange?: ((code: string) => void) | undefined;
}) {
  const parent = useRef<HTMLDivElement>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  const isReadOnly = onChange === undefined;
  useEffect(() => {
    if (!parent.current) return undefined;
    const view = new EditorView({
      parent: parent.current,
      doc: initial,
      extensions: [
        basicSetup,
        javascript(),
        syntaxHighlighting(classHighlighter),
        theme,
        isReadOnly ? EditorState.readOnly.of(true) : [writing, indentWithTab],
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': 'Code of the action',
          ...(!isReadOnly && { 'aria-describedby': 'code-keys' }),
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) latest.current?.(state.doc.toString());
        }),
      ],
    });
    return () => view.destroy();
  }, [initial, isReadOnly]);
  return <div ref={parent} className="code-editor" />;
}
