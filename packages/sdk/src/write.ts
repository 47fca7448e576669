/** Writes. Each has one definition, executed as a request in API mode and as a transaction in ChainSecured mode. */
import type { ApiBareClient, BareClient, ChainSecuredBareClient } from './bare-client.ts';
import type { PostPath } from './http.ts';
import type { Prepared, PrepareOptions, Write, WriteOptions, Written } from './write-definition.ts';
import { prepareRequest, writeByRequest } from './write-request.ts';
import { createPlan, prepareTransaction, writeByTransaction } from './write-transaction.ts';

/** A function whose write can be prepared by {@link prepare}. */
export interface Preparable {
  /** @internal */
  readonly definition: object;
}

/** A standalone function that sends a write. */
export interface WriteFunction<allowed extends BareClient, Parameters, Result> extends Preparable {
  (client: allowed, parameters: Parameters, options?: WriteOptions): Promise<Written<Result>>;
}

/** The client that a write takes: without a path, the write is a transaction only. */
type ClientOf<Path> = [Path] extends [never] ? ChainSecuredBareClient : BareClient;

/** Returns the standalone function of a write. Calls are marked pure, so that bundlers leave out unused writes. */
export function defineWrite<
  Parameters,
  Result extends object = object,
  Path extends PostPath = never,
  Minted = undefined,
  allowed extends BareClient = ClientOf<Path>,
>(definition: Write<Parameters, Result, Path, Minted>): WriteFunction<allowed, Parameters, Result> {
  const write = async (client: BareClient, parameters: Parameters, options: WriteOptions = {}) =>
    client.mode === 'api'
      ? writeByRequest(client, definition, parameters, options)
      : writeByTransaction(client, createPlan(definition, parameters), options);
  return Object.assign(write, { definition });
}

/** {@link defineWrite} for a write of API mode only. */
export const defineApiWrite: <Parameters, Path extends PostPath, Result extends object = object>(
  definition: Omit<Write<Parameters, Result, Path>, 'chain'>,
) => WriteFunction<ApiBareClient, Parameters, Result> = defineWrite;

/** Prepares a write without signing or sending anything. Rejects when the contract would refuse the write. */
export async function prepare<client extends BareClient, Parameters, Result>(
  client: client,
  write: Preparable &
    ((client: client, parameters: Parameters, options?: WriteOptions) => Promise<Written<Result>>),
  parameters: Parameters,
  options: PrepareOptions = {},
): Promise<Prepared<client, Result>> {
  const definition = write.definition as Write<Parameters, Result, PostPath, unknown>;
  const prepared =
    client.mode === 'api'
      ? prepareRequest(client, definition, parameters)
      : await prepareTransaction(client, createPlan(definition, parameters), options);
  return prepared as Prepared<client, Result>;
}
