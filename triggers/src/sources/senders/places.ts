/** Values of a request by the names that the table of senders gives them. */
import { parseForm, parseJson } from '../content.ts';
import type { Delivery, Place } from './sender.ts';

/** A delivery reads several places of one body. */
const events = new WeakMap<Buffer, { event: unknown }>();

/** Returns the JSON of a body, undefined when it is not JSON. */
export function eventOf(body: Buffer): unknown {
  const known = events.get(body) ?? { event: parseJson(body) };
  events.set(body, known);
  return known.event;
}

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;

const split = (place: Place): [string, string] => {
  const colon = place.indexOf(':');
  return [place.slice(0, colon), place.slice(colon + 1)];
};

/** Returns every value of a place. */
function valuesAt(place: Place, delivery: Delivery): readonly unknown[] {
  const [kind, name] = split(place);
  if (kind === 'header') return delivery.headers[name] ?? [];
  if (kind === 'query') return new URLSearchParams(delivery.search).getAll(name);
  if (kind === 'form') return parseForm(delivery)?.getAll(name) ?? [];
  const value = name.split('.').reduce(propertyOf, eventOf(delivery.body));
  return value === undefined ? [] : [value];
}

export const isAbsent = (place: Place, delivery: Delivery): boolean => valuesAt(place, delivery).length === 0;

/** Returns the value of a place as text, undefined unless it is there exactly once. */
export function findText(place: Place, delivery: Delivery): string | undefined {
  const values = valuesAt(place, delivery);
  const [value] = values;
  if (values.length !== 1) return undefined;
  return typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Returns the names of headers and query parameters among the places. */
export const namesOf = (places: readonly Place[], wanted: 'header' | 'query' | 'body'): string[] =>
  places
    .map(split)
    .filter(([kind]) => kind === wanted)
    .map(([, name]) => name);

/** Returns a copy of the event in which the value of a path is replaced. */
export function replaceAt(event: unknown, path: readonly string[], value: string): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (propertyOf(event, name) === undefined) return event;
  return { ...(event as object), [name]: replaceAt(propertyOf(event, name), rest, value) };
}
