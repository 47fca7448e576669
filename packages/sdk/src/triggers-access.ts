/** Access to the trigger service, for people: the client has a token of `logInToTriggers`. Agents get `forbidden`. */

import type { BareTriggersClient } from './bare-triggers-client.ts';
import type { CallOptions } from './deadline.ts';
import type { paths } from './generated/triggers.ts';
import { optionalDate } from './http.ts';
import { type JsonOf, send } from './triggers-request.ts';
import type { WriteOptions } from './write-definition.ts';

type AgentsReply = JsonOf<paths['/api/agents']['get']['responses'][200]>;
type ReviewReply = JsonOf<paths['/api/pairings/review']['post']['responses'][200]>;

/** A program that manages triggers with a token. */
export interface Agent {
  id: string;
  /** Name that the agent gave itself. */
  label: string;
  /** Time of the pairing. */
  createdAt: Date;
  expiresAt: Date;
  /** Exact to an hour; absent before the first use. */
  lastUsedAt?: Date | undefined;
}

export interface AgentIdParameters {
  agentId: string;
}

export interface PairingCodeParameters {
  /** `code` in the URL that the agent shows. It is a secret. */
  code: string;
}

/** A pairing that waits for approval. */
export interface Pairing {
  /** Name that the agent gave itself. */
  label: string;
  /** Approve only when the agent shows the same code. */
  userCode: string;
  /** IP address of the agent, when it is known. */
  requestedFrom?: string | undefined;
  createdAt: Date;
  /** Ten minutes after the request. */
  expiresAt: Date;
  /** Permissions of the agent after the approval, as sentences. */
  grants: string[];
  /** Days for which the token of the agent is valid. */
  validDays: number;
}

/** Ends the login of the client's token. Rejects with `unauthorized` when it has ended already. */
export async function logOutOfTriggers(client: BareTriggersClient, options?: CallOptions): Promise<void> {
  await send(client, 'POST', 'logout', { body: {}, options });
}

/** Lists the paired agents of the account, newest first, at most 1,000. */
export async function listAgents(client: BareTriggersClient, options?: CallOptions): Promise<Agent[]> {
  const { agents } = await send<AgentsReply>(client, 'GET', 'agents', { options });
  return agents.map(({ id, label, created_at, expires_at, last_used_at }) => ({
    id,
    label,
    createdAt: new Date(created_at),
    expiresAt: new Date(expires_at),
    lastUsedAt: optionalDate(last_used_at),
  }));
}

/** Revokes an agent: its token is refused immediately. */
export async function revokeAgent(
  client: BareTriggersClient,
  { agentId }: AgentIdParameters,
  options?: CallOptions,
): Promise<void> {
  await send(client, 'DELETE', `agents/${encodeURIComponent(agentId)}`, { options });
}

/** Reads a pairing that waits for approval. Rejects with `not_found` when the code is unknown, expired, denied or used. */
export async function reviewPairing(
  client: BareTriggersClient,
  { code }: PairingCodeParameters,
  options?: CallOptions,
): Promise<Pairing> {
  const wire = await send<ReviewReply>(client, 'POST', 'pairings/review', { body: { code }, options });
  return {
    label: wire.label,
    userCode: wire.user_code,
    requestedFrom: wire.requested_from ?? undefined,
    createdAt: new Date(wire.created_at),
    expiresAt: new Date(wire.expires_at),
    grants: wire.grants,
    validDays: wire.valid_days,
  };
}

/** Approves an agent. Rejects with `not_found` when the code is unknown, expired, denied or used. */
export async function approvePairing(
  client: BareTriggersClient,
  { code }: PairingCodeParameters,
  options?: WriteOptions,
): Promise<void> {
  await send(client, 'POST', 'pairings/approve', { body: { code }, options });
}

/** Denies an agent: the code is unknown from now on. Rejects with `not_found` when it was unknown, expired or used. */
export async function denyPairing(
  client: BareTriggersClient,
  { code }: PairingCodeParameters,
  options?: WriteOptions,
): Promise<void> {
  await send(client, 'POST', 'pairings/deny', { body: { code }, options });
}
