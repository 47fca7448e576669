/** Writes `openapi.json`, the OpenAPI description that the relayer serves. The SDK is generated from it. */
import { writeFile } from 'node:fs/promises';
import { servedDocument } from '../src/openapi.ts';

await writeFile(
  new URL('../openapi.json', import.meta.url),
  `${JSON.stringify(await servedDocument(), null, 2)}\n`,
);
