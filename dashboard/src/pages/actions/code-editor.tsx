/** CodeMirror with JavaScript. Loaded when a page shows it. */
import { EditorState } from '@codemirror/state';
import { EditorView } from 'codemirror';
import { useEffect, useRef } from 'react';
import { t } from '../../i18n.ts';
import { editorHelp } from './editor-help.ts';
import { javascriptEditor } from './editor-theme.ts';

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
        javascriptEditor,
        isReadOnly ? EditorState.readOnly.of(true) : [writing, indentWithTab, editorHelp],
        EditorView.contentAttributes.of({
          'aria-label': t('Code of the action'),
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
