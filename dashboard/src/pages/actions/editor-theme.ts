/** The look of code: colours of the page, light and dark; see `.tok-…` in style.css. */
import { javascript } from '@codemirror/lang-javascript';
import { syntaxHighlighting } from '@codemirror/language';
import { classHighlighter } from '@lezer/highlight';
import { basicSetup, EditorView } from 'codemirror';

const theme = EditorView.theme({
  '&': { fontSize: '13px', backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', maxHeight: '60vh' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-default-hover)',
    color: 'light-dark(var(--mantine-color-gray-7), var(--mantine-color-gray-4))',
    border: 'none',
  },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(#c5d3ff, #34417a) !important',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'light-dark(#00000008, #ffffff0a)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'light-dark(#bfe8c9, #2f5a3c)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    border: '1px solid var(--mantine-color-default-border)',
    color: 'var(--mantine-color-text)',
  },
  '.cm-tooltip.cm-completionInfo': { maxWidth: '420px', whiteSpace: 'pre-wrap' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'light-dark(#3b5bdb, #34417a)',
    color: '#fff',
  },
});

export const javascriptEditor = [
  basicSetup,
  javascript(),
  syntaxHighlighting(classHighlighter),
  theme,
  EditorView.lineWrapping,
  // It scrolls with the keyboard.
  EditorView.contentAttributes.of({ tabindex: '0' }),
];
