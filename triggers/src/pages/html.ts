/** HTML in tagged templates: every value is escaped unless it is HTML itself. */

/** Text that is HTML already; only `html` makes it. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type { Html };

/** Undefined, null and false are left out; an array is its items one after the other. */
export type Value = Html | string | number | undefined | null | false | readonly Value[];

/** A value may stand in an element's content or in an attribute in double quotes, nowhere else. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, i) => text + textOf(values[i - 1]) + part));
}

function textOf(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(textOf).join('');
  if (value === undefined || value === null || value === false) return '';
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
