/** Writes. Each has one definition, executed as a request in API mode and as a transaction in ChainSecured mode. */
import type { BareClient, ChainSecuredBareClient } from './bare-client.ts';
import type { PostPath } from './http.ts';
import type { Prepared, PrepareOptions, Write, WriteOptions, Written } from './write-definition.ts';
import { prepareRequest, writeByRequest } from './write-request.ts';
import { createPlan, prepareTransaction, writeByTransaction } from './write-transaction.ts';

/** Sends a write. */
export async function write<Parameters, Result, Path extends PostPath, Minted>(
  client: BareClient,
  definition: Write<Parameters, Result, Path, Minted>,
  parameters: Parameters,
  options: WriteOptions = {},
): Promise<Written<Result>> {
  return client.mode === 'api'
    ? writeByRequest(client, definition, parameters, options)
    : writeByTransaction(client, createPlan(definition, parameters), options);
}

/** Prepares a write without signing or sending anything. Rejects when the contract would refuse the write. */
export async function prepareWrite<
  client extends BareClient,
  Parameters,
  Result,
  Path extends PostPath,
  Minted,
>(
  client: client,
  definition: Write<Parameters, Result, Path, Minted>,
  parameters: Parameters,
  options: PrepareOptions = {},
): Promise<Prepared<client, Result>> {
  const prepared =
    client.mode === 'api'
      ? prepareRequest(client, definition, parameters)
      : await prepareTransaction(client, createPlan(definition, parameters), options);
  return prepared as Prepared<client, Result>;
}

/** The client that the standalone functions of a write take: a write without a path is a transaction only. */
type ClientOf<Path> = [Path] extends [never] ? ChainSecuredBareClient : BareClient;

/** Returns the standalone function that sends a write. Calls are marked pure, so that bundlers leave out unused writes. */
export function writeFunction<Parameters, Result, Path extends PostPath, Minted>(
  definition: Write<Parameters, Result, Path, Minted>,
) {
  return (client: ClientOf<Path>, parameters: Parameters, options?: WriteOptions): Promise<Written<Result>> =>
    write(client, definition, parameters, options);
}

/** Returns the standalone function that prepares a write; marked pure too. */
export function prepareFunction<Parameters, Result, Path extends PostPath, Minted>(
  definition: Write<Parameters, Result, Path, Minted>,
) {
  return <client extends ClientOf<Path>>(
    client: client,
    parameters: Parameters,
    options?: PrepareOptions,
  ): Promise<Prepared<client, Result>> => prepareWrite(client, definition, parameters, options);
}
