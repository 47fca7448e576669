/** Values of a page that are in its URL: a reload, a link and Back keep them. */
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

type Values<Name extends string> = { [name in Name]: string };

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** The router puts quotes around a text that looks like a number. */
const numberOf = (text: string): string | number =>
  Number.isSafeInteger(Number(text)) && String(Number(text)) === text ? Number(text) : text;

/** The search parameters with these names, and the function that changes some. Empty ones are not in the URL. */
export function useUrlValues<Name extends string>(
  names: readonly Name[],
): [Values<Name>, (changes: Partial<Values<Name>>) => void] {
  const search: { [name: string]: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const values = Object.fromEntries(names.map((name) => [name, textOf(search[name])])) as Values<Name>;
  const change = (changes: Partial<Values<Name>>): void => {
    const changed = (before: object) =>
      Object.fromEntries(
        Object.entries({ ...before, ...changes })
          .filter(([, value]) => value !== '')
          .map(([name, value]) => [name, typeof value === 'string' ? numberOf(value) : value]),
      );
    void navigate({ to: '.', search: changed as never, replace: true, resetScroll: false });
  };
  return [values, change];
}

const TYPING_MS = 200;

/** The value of a field for a text in the URL, which follows when the user has stopped typing. */
export function useTyped(value: string, change: (value: string) => void) {
  const [typed, setTyped] = useState(value);
  const written = useRef(value);
  useEffect(() => {
    if (value === written.current) return;
    written.current = value;
    setTyped(value);
  }, [value]);
  const write = useDebouncedCallback((text: string) => {
    written.current = text;
    change(text);
  }, TYPING_MS);
  const set = (text: string): void => {
    setTyped(text);
    write(text);
  };
  return [typed, set] as const;
}
