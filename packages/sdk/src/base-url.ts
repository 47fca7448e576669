import { LatchkeyError } from './errors.ts';

/**
 * Returns a base URL without a trailing slash. Throws for an invalid URL without repeating it: it can contain a secret.
 */
export function parseBaseUrl(text: string, parameter: string): string {
  const refuse = (message: string): never => {
    throw new LatchkeyError('configuration', `${parameter}: ${message}`);
  };
  if (!URL.canParse(text)) return refuse('expected an http(s) URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') refuse('expected an http(s) URL');
  if (url.username !== '' || url.password !== '') refuse('the URL must not contain credentials');
  if (/[?#]/.test(text)) refuse('the base URL must not have a query or a fragment');
  if (/\/core\/v1\/?$/.test(url.pathname)) refuse('send the base URL without /core/v1');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
