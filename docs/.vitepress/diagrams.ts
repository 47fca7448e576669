/** Diagrams (Mermaid) as SVG in the pages: they need no script, and have the colours of the page. */
import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownRenderer } from 'vitepress';

const rendered = new Map<string, string>();

function render(diagram: string): string {
  const known = rendered.get(diagram);
  if (known !== undefined) return known;
  const svg = renderMermaidSVG(diagram, {
    bg: 'var(--vp-c-bg)',
    padding: 24,
    nodeSpacing: 48,
    layerSpacing: 64,
    transparent: true,
  })
    // theme/style.css has the colours. Vue takes no style elements, and this one would load fonts of another host.
    .replace(/<style>.*?<\/style>/s, '');
  rendered.set(diagram, svg);
  return svg;
}

/** Renders the code blocks of the language `mermaid`. */
export function useDiagrams(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...others) => {
    const token = tokens[index];
    if (token?.info.trim() === 'mermaid')
      return `<div class="diagram" tabindex="0" v-pre>${render(token.content)}</div>`;
    return fence?.(tokens, index, ...others) ?? '';
  };
}
