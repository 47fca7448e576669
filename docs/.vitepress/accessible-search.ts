/** Corrects the roles in the dialog of the search: VitePress 1.6 makes it a button around a list box around links. */
import type { Plugin } from 'vitepress';

const CHANGES: readonly (readonly [string, string])[] = [
  ['role="button"', 'role="dialog" aria-modal="true"'],
  [`:aria-owns="results?.length ? 'localsearch-list' : undefined"`, ''],
  ['aria-expanded="true"', ''],
  ['aria-haspopup="listbox"', ''],
  [`:aria-activedescendant="selectedIndex > -1 ? ('localsearch-item-' + selectedIndex) : undefined"`, ''],
  ['aria-autocomplete="both"', ''],
  [`:role="results?.length ? 'listbox' : undefined"`, ''],
  [`:aria-selected="selectedIndex === index ? 'true' : 'false'"`, ''],
  ['role="option"', ''],
  ['<kbd :aria-label', '<kbd role="img" :aria-label'],
  [`:aria-label="[...p.titles, p.title].join(' > ')"`, ''],
];

export const accessibleSearch: Plugin = {
  name: 'accessible-search',
  enforce: 'pre',
  transform(source, id) {
    if (!id.endsWith('VPLocalSearchBox.vue')) return;
    return CHANGES.reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`${id} has no ${from}: adapt or delete this plugin`);
      return text.replaceAll(from, to);
    }, source);
  },
};
