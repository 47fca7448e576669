/** Replaces the values of secrets in what leaves the process. It guards against mistakes, not against an action that encodes them. */

const { stringify } = JSON;

/** A shorter value would also replace texts that are not the secret. */
const MIN_CHARS = 8;
/** Not longer than a value, so that no text grows beyond a limit. */
const REPLACEMENT = '[secret]';
/** The strings and numbers of JSON. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

const inJson = (text: string): string => stringify(text).slice(1, -1);

/** Length of the longest end of the text that is the beginning of the form. */
function openEndOf(text: string, form: string): number {
  const first = form[0] as string;
  let at = text.indexOf(first, Math.max(0, text.length - form.length + 1));
  while (at >= 0 && !form.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at < 0 ? 0 : text.length - at;
}

export type Redaction = {
  /** No value has been added. */
  isEmpty: () => boolean;
  add: (value: string) => void;
  redact: (text: string) => string;
  /** Redacts the strings and numbers of JSON. */
  redactJson: (json: string) => string;
  /** Redacts the next part of a text. Keeps an end that can be the beginning of a secret for the part after it. */
  redactPart: (part: string) => string;
  /** Returns what `redactPart` has kept. */
  rest: () => string;
};

export function createRedaction(): Redaction {
  /** The values, also as JSON has them, longest first. */
  let forms: string[] = [];
  let kept = '';
  const redact = (text: string): string => {
    let redacted = text;
    for (const form of forms) redacted = redacted.split(form).join(REPLACEMENT);
    return redacted;
  };
  /** Length of the longest end of the text that is the beginning of a form. */
  const openEnd = (text: string): number => Math.max(...forms.map((form) => openEndOf(text, form)));
  const rest = (): string => {
    const text = kept;
    kept = '';
    return text;
  };
  return {
    isEmpty: () => forms.length === 0,
    add(value) {
      if (value.length < MIN_CHARS) return;
      const twice = inJson(inJson(value));
      const added = [value, inJson(value), twice].filter((form) => !forms.includes(form));
      forms = [...forms, ...added].toSorted((a, b) => b.length - a.length);
    },
    redact,
    redactJson: (json) =>
      json.replace(TOKENS, (token) => {
        const redacted = redact(token);
        return token === redacted || token.startsWith('"') ? redacted : `"${redacted}"`;
      }),
    redactPart(part) {
      if (forms.length === 0) return part;
      const text = redact(rest() + part);
      const end = openEnd(text);
      kept = text.slice(text.length - end);
      return text.slice(0, text.length - end);
    },
    rest,
  };
}
