/** HTML from tagged templates. Values are escaped unless they are `Html`. */

/** Escaped HTML. Only `html` creates it. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type { Html };

/** Undefined, null and false render as nothing. The items of an array are concatenated. */
export type Value = Html | string | number | undefined | null | false | readonly Value[];

/** Values are safe only as element content and inside double-quoted attributes. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, i) => text + render(values[i - 1]) + part));
}

function render(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  if (value === undefined || value === null || value === false) return '';
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
