/** The documentation site: `npm run docs`, `npm run docs -- build`. Its pages are those of docs/ and of the generated docs/reference/. */
import { defineConfig } from 'vitepress';
import { toAnchor } from '../../tools/reference/markdown.ts';
import { accessibleSearch } from './accessible-search.ts';
import { useDiagrams } from './diagrams.ts';
import { useRepositoryLinks } from './links.ts';
import { createSidebar } from './sidebar.ts';

export default defineConfig({
  lang: 'en',
  title: 'Latchkey',
  description: 'Run JavaScript actions that use programmable wallets under scoped keys.',
  rewrites: { 'README.md': 'index.md' },
  cacheDir: '../node_modules/.cache/vitepress',
  markdown: {
    // With the contrast that WCAG asks for.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    // As in the repository, because the links of the pages have these.
    anchor: { slugify: toAnchor },
    // Braces are text.
    attrs: { disable: true },
    config: (md) => {
      useRepositoryLinks(md);
      useDiagrams(md);
    },
  },
  vite: { plugins: [accessibleSearch], server: { port: 8300 } },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Recipes', link: '/recipes' },
      { text: 'HTTP API', link: '/reference/relayer' },
    ],
    sidebar: createSidebar(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // The index needs no colours.
        _render: (source, env, md) => md.set({ highlight: null }).render(source, env),
      },
    },
  },
});
