/** Writes of API mode: each is a request. */
import { type ApiBareClient, sawBlock } from './bare-client.ts';
import { defaultDeadline } from './deadline.ts';
import { prices } from './generated/prices.ts';
import { type BodyOf, buildUrl, type PostPath, post } from './http.ts';
import {
  type ApiPrepared,
  requireMode,
  type Write,
  type WriteOptions,
  type Written,
} from './write-definition.ts';

export async function writeByRequest<Parameters, Result, Path extends PostPath, Minted>(
  client: ApiBareClient,
  { name, api }: Write<Parameters, Result, Path, Minted>,
  parameters: Parameters,
  options: WriteOptions,
): Promise<Written<Result>> {
  const { path, body, proof, onLimited, check, result } = requireMode(api, name, 'API');
  const deadline = defaultDeadline(client, options);
  const signed = proof ? await proof.prove(client, parameters, deadline) : {};
  const { json, headers } = await post(client, path, {
    body: { ...body(parameters), ...signed } as BodyOf<Path>,
    key: client.internals.apiKey(),
    idempotencyKey: options.idempotencyKey,
    onLimited: onLimited && (() => onLimited(client, deadline)),
    deadline,
  });
  const blockNumber = BigInt(headers.get('x-block-number') ?? 0);
  sawBlock(client, blockNumber);
  await check?.(client, json, deadline);
  return { ...(result?.(json, parameters) as Result), blockNumber };
}

export function prepareRequest<Parameters, Result, Path extends PostPath, Minted>(
  client: ApiBareClient,
  definition: Write<Parameters, Result, Path, Minted>,
  parameters: Parameters,
): ApiPrepared<Result> {
  const { name, changes } = definition;
  const { path, body, proof } = requireMode(definition.api, name, 'API');
  return {
    mode: 'api',
    name,
    changes: changes(parameters),
    signatures: proof ? [proof.primaryType] : [],
    request: { method: 'POST', url: buildUrl(client.url, path, {}), body: body(parameters) },
    priceMicros: prices[path]?.micros ?? 0n,
    send: (options = {}) => writeByRequest(client, definition, parameters, options),
  };
}
