/** CodeMirror with JavaScript. Loaded when a page shows it. */
import { javascript } from '@codemirror/lang-javascript';
import { basicSetup, EditorView } from 'codemirror';
import { useEffect, useRef } from 'react';

const theme = EditorView.theme({
  '&': { fontSize: '13px', backgroundColor: '#ffffff', color: '#000000' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', maxHeight: '60vh' },
  '.cm-content, .cm-gutter': { minHeight: '260px' },
});

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
  onChange: (code: string) => void;
}) {
  const parent = useRef<HTMLDivElement>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    if (!parent.current) return undefined;
    const view = new EditorView({
      parent: parent.current,
      doc: initial,
      extensions: [
        basicSetup,
        javascript(),
        theme,
        indentWithTab,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': 'Code of the action',
          'aria-describedby': 'code-keys',
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) latest.current(state.doc.toString());
        }),
      ],
    });
    return () => view.destroy();
  }, [initial]);
  return <div ref={parent} className="code-editor" />;
}
