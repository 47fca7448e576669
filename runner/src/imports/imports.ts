/** Loads the modules that actions import, from the CDN or the cache. */
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { hashOfModule, type ModuleStore } from './module-store.ts';
import { importError, resolveImport } from './specifier.ts';

const MAX_MODULE_BYTES = 10 * 1024 * 1024;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 15_000;
const RETRY_MS = 200;

type LoadedModule = {
  url: string;
  /** Subresource Integrity. */
  hash: string;
  source: Buffer;
};

export type Imports = {
  /** @param referrer URL of the importing module, null for the action. Rejects with an `ImportError`. */
  load: (specifier: string, referrer: string | null) => Promise<LoadedModule>;
};

export type ImportsOptions = {
  /** URL under which the CDN has packages: `<name>@<version>/+esm` and `<name>@<version>/<file>`. */
  cdnUrl: string;
  store: ModuleStore;
};

export function createImports({ cdnUrl, store }: ImportsOptions): Imports {
  const cdn = new URL(cdnUrl).href.replace(/\/+$/, '');
  /** Modules by URL and the hash in the import. */
  const recent = new LRUCache<string, LoadedModule>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ source }) => source.length + 1,
  });
  const loading = new Map<string, Promise<LoadedModule>>();

  const loadOnce = async (url: string, wanted: string | undefined): Promise<LoadedModule> => {
    const expected = wanted ?? (await store.hashOf(url));
    const known = expected === undefined ? undefined : await store.read(expected);
    if (expected !== undefined && known) return { url, hash: expected, source: known };
    const source = await download(url);
    const hash = hashOfModule(source);
    if (wanted !== undefined && hash !== wanted)
      throw importError(`${url} has the hash ${hash}, the import has ${wanted}`);
    const refuseChange = (first: string | undefined): void => {
      if (wanted === undefined && first !== undefined && hash !== first)
        throw importError(`${url} has changed since its first use: its hash is ${hash}, it was ${first}`);
    };
    refuseChange(expected);
    // Another runner may have recorded its first use meanwhile.
    refuseChange(await store.write(url, source));
    return { url, hash, source };
  };

  return {
    async load(specifier, referrer) {
      const { url, hash } = resolveImport(specifier, referrer, cdn);
      const name = `${url}#${hash}`;
      const known = recent.get(name);
      if (known) return known;
      const running =
        loading.get(name) ??
        loadOnce(url, hash)
          .then((loaded) => {
            recent.set(name, loaded);
            return loaded;
          })
          .finally(() => loading.delete(name));
      loading.set(name, running);
      return running;
    },
  };
}

/** Downloads a module, and once more when the CDN does not answer. */
async function download(url: string): Promise<Buffer> {
  const response = await request(url).catch(async () => {
    await delay(RETRY_MS);
    return request(url).catch((error: Error) => {
      throw importError(`${url} cannot be loaded: ${error.message}. Run the action again`);
    });
  });
  const refuse = async (message: string): Promise<never> => {
    await response.body?.cancel();
    throw importError(`${url} ${message}`);
  };
  const { status } = response;
  if (status >= 300 && status < 400) await refuse('is a redirect: import the URL of its target');
  if (status === 404) await refuse('does not exist on the CDN');
  if (status !== 200) await refuse(`cannot be loaded: the CDN returned ${status}`);
  const type = response.headers.get('content-type') ?? 'no type';
  if (!/\b(?:java|ecma)script\b/.test(type)) await refuse(`is not JavaScript: its type is ${type}`);
  return readBody(url, response);
}

/** Rejects when the CDN cannot be reached, or fails. */
async function request(url: string): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { redirect: 'manual', signal }).catch((cause: Error) => {
    throw new Error(cause.name === 'TimeoutError' ? 'the CDN is too slow' : 'the CDN cannot be reached', {
      cause,
    });
  });
  if (response.status < 500) return response;
  await response.body?.cancel();
  throw new Error(`the CDN returned ${response.status}`);
}

async function readBody(url: string, response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > MAX_MODULE_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    throw importError(`${url} cannot be loaded: the connection to the CDN broke. Run the action again`);
  }
  if (length > MAX_MODULE_BYTES) throw importError(`${url} has more than ${MAX_MODULE_BYTES} bytes`);
  return Buffer.concat(chunks);
}
