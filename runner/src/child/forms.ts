/**
 * Draws the boundaries of form bodies. Deno draws them from V8's random numbers, which are the same in every fork of a template: text that
 * an attacker puts into a field could contain the boundary, and end the field.
 */
import { changeArguments } from './classes.ts';

const { Blob, crypto } = globalThis;
const { create, getOwnPropertyDescriptor, defineProperty } = Object;
const getForm = getOwnPropertyDescriptor(globalThis, 'FormData')?.get as () => typeof FormData;

const escaped = (name: string): string =>
  name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
const withCrlf = (text: string): string => text.replaceAll(/\r\n?|\n/g, '\r\n');

/** Returns the body of https://html.spec.whatwg.org/#multipart-form-data. */
const toBlob = (form: FormData): Blob => {
  const boundary = `----${crypto.randomUUID()}`;
  const parts = [...form].flatMap(([name, value]) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(withCrlf(name))}"`;
    if (typeof value === 'string') return [`${head}\r\n\r\n${withCrlf(value)}\r\n`];
    const type = value.type || 'application/octet-stream';
    return [`${head}; filename="${escaped(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`, value, '\r\n'];
  });
  return new Blob([...parts, `--${boundary}--\r\n`], { type: `multipart/form-data; boundary=${boundary}` });
};

const isForm = (value: unknown): value is FormData => value instanceof getForm();

/** Changes a class that Deno loads at its first use. */
const change = (name: 'Request' | 'Response', toArguments: (args: unknown[]) => unknown[]): void => {
  const descriptor = getOwnPropertyDescriptor(globalThis, name) as PropertyDescriptor & { get: () => never };
  let changed: unknown;
  defineProperty(globalThis, name, {
    ...descriptor,
    get() {
      changed ??= changeArguments(descriptor.get(), toArguments);
      return changed;
    },
  });
};
change('Response', (args) => {
  const [body, ...rest] = args;
  return isForm(body) ? [toBlob(body), ...rest] : args;
});
change('Request', (args) => {
  const [input, init, ...rest] = args;
  const body: unknown = (init as { body?: unknown } | null | undefined)?.body;
  return isForm(body) ? [input, create(init as object, { body: { value: toBlob(body) } }), ...rest] : args;
});
