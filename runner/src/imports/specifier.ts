/** Resolves imports of an action: packages of one CDN, in exact versions. */
import { isBuiltin } from 'node:module';
import { ActionError } from '@latchkey/runner-protocol';

export type Resolved = {
  url: string;
  /** Subresource Integrity: `sha384-` and base64. Undefined where the import has none. */
  hash: string | undefined;
};

const HASH = /^sha384-[A-Za-z0-9+/]{64}$/;
const NAME = '(?:@[a-z0-9~._-]+/)?[a-z0-9~_-][a-z0-9~._-]*';
const BARE = new RegExp(`^(${NAME})(?:@([^/]*))?(/.*)?$`, 'i');
const IN_PACKAGE = new RegExp(`^${NAME}@([^/]+)/.+$`, 'i');
const EXACT_VERSION = /^\d+\.\d+\.\d+(?:-[0-9a-z.-]+)?(?:\+[0-9a-z.-]+)?$/i;
const FILE = /\.[a-z0-9]+$|\/\+esm$/i;

export const importError = (message: string): ActionError => new ActionError('ImportError', message);

/**
 * Returns the URL of an import. Throws an `ImportError` with the fix.
 *
 * @param referrer URL of the importing module, null for the action.
 * @param cdn URL under which the CDN has packages, without a slash at the end.
 */
export function resolveImport(specifier: string, referrer: string | null, cdn: string): Resolved {
  const place = referrer === null ? '' : ` in ${referrer}`;
  const fail = (message: string): never => {
    throw importError(`the import "${specifier}"${place} ${message}`);
  };
  const [text = '', ...fragments] = specifier.split('#');
  const hash = fragments.length === 0 ? undefined : fragments.join('#');
  if (hash !== undefined && !HASH.test(hash))
    fail('has a malformed hash: write #sha384- and 64 characters of base64');
  if (isBuiltin(text)) fail('is a module of Node, which actions do not have');

  const isRelative = /^\.{0,2}\//.test(text);
  if (isRelative && referrer === null)
    fail('is a file: an action is one file. Bundle it, or import a package');
  const url =
    isRelative || /^[a-z][a-z0-9+.-]*:/i.test(text)
      ? parse(text, referrer, fail)
      : bare(text, { cdn, isInModule: referrer !== null }, fail);

  const path = url.href.startsWith(`${cdn}/`) ? url.href.slice(cdn.length + 1) : undefined;
  if (path === undefined || url.search !== '')
    return fail(`is not a module of ${cdn}: other hosts and queries are refused`);
  const version = IN_PACKAGE.exec(path)?.[1];
  if (version === undefined || !EXACT_VERSION.test(version))
    fail('has no exact version: write name@1.2.3, without a range or a tag');
  return { url: url.href, hash };
}

type Fail = (message: string) => never;

function parse(text: string, referrer: string | null, fail: Fail): URL {
  return URL.parse(text, referrer ?? undefined) ?? fail('is not a URL');
}

/** A path without a file name is an export of the package, which the CDN resolves. */
function bare(text: string, { cdn, isInModule }: { cdn: string; isInModule: boolean }, fail: Fail): URL {
  const [, name, version, path = ''] = BARE.exec(text) ?? [];
  if (name === undefined) return fail('is neither a package nor a URL');
  if (version === undefined && isInModule)
    return fail('names no URL: add /+esm to the import of that module, so that the CDN resolves its imports');
  if (version === undefined || !EXACT_VERSION.test(version))
    return fail(`has no exact version: write ${name}@1.2.3, without a range or a tag`);
  const file = FILE.test(path) ? path : `${path.replace(/\/$/, '')}/+esm`;
  return URL.parse(`${cdn}/${name}@${version}${file}`) ?? fail('is not a URL');
}
