/** Requests by the owner of an account: with the key of the client, or a proof of its wallet. */
import type { BareClient } from './bare-client.ts';
import { type CallOptions, defaultDeadline } from './deadline.ts';
import { type BodyOf, type GetPath, get, type PostPath, post } from './http.ts';
import { readCredential } from './proof.ts';
import type { WriteOptions } from './write-definition.ts';

type Asked = Pick<Parameters<typeof get>[2], 'query' | 'params'>;

/** Sends a GET request for a state that includes the client's own writes. */
export async function getAsOwner<Path extends GetPath>(
  client: BareClient,
  options: CallOptions | undefined,
  path: Path,
  asked: Asked = {},
) {
  const deadline = defaultDeadline(client, options);
  const credential = await readCredential(client, deadline);
  return get(client, path, { ...asked, ...credential, seesOwnWrites: true, deadline });
}

/** Sends a POST request that sees the client's own writes. */
export async function postAsOwner<Path extends PostPath>(
  client: BareClient,
  options: WriteOptions | undefined,
  path: Path,
  body: BodyOf<Path>,
) {
  const deadline = defaultDeadline(client, options);
  const idempotencyKey = options?.idempotencyKey;
  const credential = await readCredential(client, deadline);
  return post(client, path, { body, ...credential, seesOwnWrites: true, idempotencyKey, deadline });
}
