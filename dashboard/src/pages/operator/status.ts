/** Replies of the relayer and of the trigger service for their operator, in wire form: their descriptions (OpenAPI) say what each field means. */
import { LatchkeyError } from '@latchkey/sdk';
import type { paths } from '@latchkey/sdk/api';
import { t } from '../../i18n.ts';

type StatusPath = paths['/operator/v1/status'];
export type OperatorStatus = StatusPath['get']['responses'][200]['content']['application/json'];
export type Part = OperatorStatus['parts'][number];
export type Payer = OperatorStatus['payers'][number];
export type ChainState = OperatorStatus['chains'][number];
export type Runner = OperatorStatus['runners'][number];
export type KeyNode = OperatorStatus['key_nodes'][number];

/** `/health` of the trigger service: its version, and its parts as rows. */
export type TriggersHealth = { version: string | undefined; parts: Part[] };

/** Rejects with a LatchkeyError that says what to do. */
export async function readStatus(
  relayerUrl: string,
  token: string,
  signal?: AbortSignal,
): Promise<OperatorStatus> {
  const wrong = new LatchkeyError('unauthorized', t('This is not the token of the operator.'), {
    fix: t('Enter the token whose SHA-256 is OPERATOR_TOKEN_HASH of the relayer.'),
  });
  if (!/^[\x21-\x7e]+$/.test(token)) throw wrong;
  const response = await fetch(new URL('/operator/v1/status', relayerUrl), {
    headers: { Authorization: `Bearer ${token}` },
    // Another address would get the token.
    redirect: 'error',
    ...(signal && { signal }),
  }).catch((cause: unknown) => {
    throw new LatchkeyError('network', t('The relayer does not answer.'), { cause });
  });
  const body: unknown = await response.json().catch(() => ({}));
  if (response.ok) return body as OperatorStatus;
  if (response.status === 401) throw wrong;
  if (response.status === 404)
    throw new LatchkeyError('not_found', t('The page of the operator is closed at this relayer.'), {
      fix: t('Set OPERATOR_TOKEN_HASH of the relayer, and start it again.'),
    });
  const { message = t('The relayer replied with status {status}.', { status: response.status }) } = body as {
    message?: string;
  };
  throw new Error(message);
}

/** Reads the public health of the trigger service, which is in the body of a 503 too. */
export async function readTriggersHealth(triggersUrl: string, signal: AbortSignal): Promise<TriggersHealth> {
  type Health = { version?: string; status?: string } & { [part: string]: unknown };
  const health = await fetch(new URL('/health', triggersUrl), { signal })
    .then((response): Promise<Health> => response.json())
    .catch((): Health => ({}));
  const { version, status, ...parts } = health;
  if (status === undefined)
    return { version, parts: [{ name: 'triggers', ok: false, detail: t('does not answer') }] };
  return {
    version,
    parts: Object.entries(parts).map(([name, part]) => ({
      ...(part as Omit<Part, 'name'>),
      name: `triggers.${name}`,
    })),
  };
}
