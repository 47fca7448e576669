/** The public state of a key node, as the node tells it. */
import { OTHER_PROTOCOL_STATUS, protocolHeader, protocols } from '@latchkey/service/versions';
import { Agent, request } from 'undici';
import { z } from 'zod';

const PING_MS = 2_000;
/** The longest waiting time of a node for a newly approved group. */
const MAX_WAIT_SEC = 2_592_000;

/** A dealing has at most 32 participants. */
const MAX_REPLY_BYTES = 128 * 1024;
const dispatcher = new Agent({ maxResponseSize: MAX_REPLY_BYTES });

export const refusal = z.object({ message: z.string() });

const nodeHealth = z.object({
  status: z.string(),
  version: z.string().max(64).optional().catch(undefined),
  approval: z
    .object({
      state: z.string(),
      remaining_sec: z.int().nonnegative().max(MAX_WAIT_SEC),
      since_sec: z.int().nonnegative().nullable(),
    })
    .nullish()
    .catch(null),
});

/** The node deals in the approved group at `untilSec` unless its operator refuses. Unix seconds, as the node says. */
export type NodeWait = { sinceSec: number; untilSec: number };

/** `fault` is undefined for a healthy node. */
export type NodeHealth = {
  fault: string | undefined;
  version?: string | undefined;
  waits: NodeWait | undefined;
};

/** Rejects when the node does not answer, or with something else. */
export async function askHealth(url: string): Promise<NodeHealth> {
  const signal = AbortSignal.timeout(PING_MS);
  const headers = protocolHeader(protocols.keyNode);
  const { statusCode, body } = await request(`${url}/health`, { dispatcher, signal, headers });
  const reply: unknown = await body.json();
  if (statusCode === OTHER_PROTOCOL_STATUS)
    return {
      fault: `is of another version: ${refusal.parse(reply).message.slice(0, 200)}`,
      waits: undefined,
    };
  const { status, version, approval } = nodeHealth.parse(reply);
  const { state, remaining_sec: remainingSec = 0, since_sec: sinceSec } = approval ?? {};
  const untilSec = Math.round(Date.now() / 1_000) + remainingSec;
  return {
    fault: statusCode === 200 ? undefined : status === 'behind' ? 'is behind' : 'is down',
    version,
    waits: state === 'waiting' && sinceSec != null ? { sinceSec, untilSec } : undefined,
  };
}

const dealingView = z.object({
  public_key: z.string().regex(/^[0-9a-f]{64}$/),
  /** The share that the node holds, without the share. */
  current: z.object({ identifier: z.int(), parameters: z.string().max(1_024) }).nullable(),
  dealing: z
    .object({
      round: z.string().max(32).nullable(),
      missing: z.array(z.int()).max(255),
      faults: z.array(z.unknown()),
    })
    .nullable(),
});

/** Resolves to what anyone can see of the dealing of a node. Rejects when the node does not answer, or with something else. */
export async function askDealing(url: string): Promise<z.output<typeof dealingView>> {
  const signal = AbortSignal.timeout(PING_MS);
  const { body } = await request(`${url}/v1/dealing`, { dispatcher, signal });
  return dealingView.parse(await body.json());
}
