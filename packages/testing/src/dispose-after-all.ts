import { afterAll } from 'vitest';

/** Disposes a resource after all tests of the file. Call it at the top level of the file. Returns the resource. */
export function disposeAfterAll<Resource extends Disposable | AsyncDisposable>(resource: Resource): Resource {
  afterAll(async () => {
    await using _ = resource;
  });
  return resource;
}
