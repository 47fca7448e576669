/** A key node, as the operator's command sees it. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type DealingAction,
  type Evidence,
  evidence,
  type Identity,
  signCommand,
} from '@latchkey/key-protocol';
import { z } from 'zod';
import { type DealingView, dealingView } from '../dealing/view.ts';
import { CommandError, UnreachableError } from './errors.ts';

const REQUEST_TIMEOUT_MS = 15_000;
const RETRY_MS = 100;

const part = z.object({ ok: z.boolean(), detail: z.string().optional() });
const health = z.object({
  chain: part,
  code: part,
  share: part,
  approval: z.object({ state: z.string(), remaining_sec: z.int() }).nullable(),
});

export type NodeClient = {
  url: string;
  /** Returns the public state of the node. */
  look: () => Promise<DealingView>;
  /** Signs and sends a command; repeats it when the node restarts. */
  command: (action: DealingAction) => Promise<DealingView>;
  /** Returns its quote for the session of a dealing, undefined for a node outside a TEE. */
  evidence: (session: string) => Promise<Evidence | undefined>;
  /** Returns the health of the node, undefined for another service. */
  health: () => Promise<z.infer<typeof health> | undefined>;
};

export type ClientOptions = {
  operator: Identity;
  /** Maximum time without an answer. */
  waitMs: number;
  print: (line: string) => void;
};

type Reply = { status: number; body: unknown };

/** Methods reject with an UnreachableError when the node does not answer, and with a CommandError when it refuses. */
export function createNodeClient(url: string, options: ClientOptions): NodeClient {
  const send = (path: string, body?: unknown) => insist(url, path, body, options);
  const look = async () => readView(url, await send('/v1/dealing'));
  let known: Promise<DealingView> | undefined;
  const command = async (action: DealingAction): Promise<DealingView> => {
    known ??= look();
    const { public_key: node, boot } = await known.catch((error) => {
      known = undefined;
      throw error;
    });
    const reply = await send('/v1/dealing', () =>
      signCommand({ node, boot }, action, options.operator, Date.now()),
    );
    if (reply.status !== 409) return readView(url, reply);
    known = look();
    return (await known).boot === boot ? readView(url, reply) : command(action);
  };
  return {
    url,
    look,
    command,
    async evidence(session) {
      const { status, body } = await send(`/attestation?nonce=${session}`);
      if (status === 404) return undefined;
      const quote = z.object(evidence.shape).safeParse(body);
      if (status !== 200 || !quote.success)
        throw new CommandError(`${url} has no quote: its reply is ${status}`);
      return quote.data;
    },
    health: async () => health.safeParse((await send('/health')).body).data,
  };
}

/** @param body Returns the body: every attempt is another command. */
async function insist(url: string, path: string, body: unknown, options: ClientOptions): Promise<Reply> {
  const deadline = Date.now() + options.waitMs;
  for (let attempt = 0; ; attempt++) {
    const reply = await request(url + path, typeof body === 'function' ? body() : body);
    const isHealth = path === '/health';
    if (reply && (reply.status < 500 || isHealth)) return reply;
    if (Date.now() >= deadline)
      throw new UnreachableError(
        `${url} ${reply ? `fails with ${reply.status}: read its log` : 'does not answer'}`,
      );
    if (attempt === 5) options.print(`waiting for ${url}`);
    await delay(RETRY_MS);
  }
}

async function request(url: string, body: unknown): Promise<Reply | undefined> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(body !== undefined && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}

const refusal = z.object({ message: z.string() });

function readView(url: string, { status, body }: Reply): DealingView {
  const view = status === 200 ? dealingView.safeParse(body) : undefined;
  if (view?.success) return view.data;
  const reason = refusal.safeParse(body).data?.message ?? `replied ${status} without a message`;
  if (status === 403 && reason.includes('signature of the operator'))
    throw new CommandError(`${url}: ${reason}: its OPERATOR_KEY does not match OPERATOR_SEED`);
  throw new CommandError(`${url}: ${status === 200 ? 'is not a key node of this version' : reason}`);
}
