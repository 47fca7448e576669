import { LatchkeyError } from './errors.ts';

/** A base without a slash at its end. Throws for what is no base URL, without repeating it: it may hold a secret. */
export function parseBaseUrl(text: string, parameter: string): string {
  const refuse = (message: string): never => {
    throw new LatchkeyError('configuration', `${parameter}: ${message}`);
  };
  if (!URL.canParse(text)) return refuse('expected an http(s) URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') refuse('expected an http(s) URL');
  if (url.username !== '' || url.password !== '') refuse('a URL holds no credentials');
  if (/[?#]/.test(text)) refuse('a base URL has no query and no fragment');
  if (/\/core\/v1\/?$/.test(url.pathname)) refuse('expected the URL without /core/v1');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
