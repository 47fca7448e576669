/** The traffic of a row: webhooks, runs and writes of one account, whose senders repeat a request until it is accepted. */
import { setTimeout as delay } from 'node:timers/promises';
import { apiKeyHash } from '@latchkey/protocol';
import type { Random } from '@latchkey/testing/random';
import { type Address, type Hex, numberToHex } from 'viem';
import type { Cluster } from './cluster.ts';
import { openWallets, sendCode, transactionOf } from './sends.ts';

/** A sender gives up a request after this time, and repeats it. */
const REPLY_MS = 30_000;
/** One of so many webhooks is delivered twice. */
const REDELIVERED = 8;
/** Clients wait longer after each attempt. Senders that do not would take the processor from the nodes of this process. */
const FIRST_PAUSE_MS = 400;
const MAX_PAUSE_MS = 8_000;

/** `send`: `POST send_transaction`. */
export type Kind = 'webhook' | 'run' | 'write' | 'list' | 'send';
/** Of five units. */
const mixture: readonly Kind[] = ['webhook', 'run', 'webhook', 'write', 'webhook'];

export type Unit = {
  id: string;
  /** Its place among the units that were created with it. */
  number: number;
  kind: Kind;
  /** A webhook was answered with 202, a run or a write with 200. */
  isAccepted: boolean;
  /** The reply to an accepted run that did not return what it must. */
  refusal?: string;
  /** The last reply to a unit that is not accepted. */
  lastReply?: string;
};

export type Tenant = {
  key: string;
  hash: bigint;
  usageKey: string;
  webhookPaths: string[];
  triggerIds: string[];
  /** ISO 8601. */
  openedAt: string;
  pauseSchedules: () => Promise<void>;
  /** Of a tenant whose traffic sends transactions. */
  wallets: Address[];
  walletKeys: Hex[];
};

export type TrafficOptions = {
  /** Duration of the runs. */
  runMs: number;
  write: 'add_group' | 'create_wallet';
  /** Each write is an event of the chain, which fires one more run. */
  hasChainTrigger: boolean;
  /** Triggers that fire a run every 30 s, at different seconds: at most 30. */
  schedules?: number;
  /** Runs send transactions of wallets: this number of triggers accepts webhooks. */
  sendingTriggers?: number | undefined;
};

type Reply = { status: number; body: Record<string, unknown> };

async function ask(
  url: string,
  body: unknown,
  headers: Record<string, string>,
  method = 'POST',
): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(REPLY_MS),
  });
  const json = await response.json().catch(() => ({}));
  return { status: response.status, body: json as Reply['body'] };
}

const codeOf = (
  { effects: { address } }: Cluster,
  { runMs, sendingTriggers }: Pick<TrafficOptions, 'runMs' | 'sendingTriggers'>,
): string => (sendingTriggers === undefined ? actionCode(address, runMs) : sendCode(address));

/** Reports its unit once it begins, then takes some time. */
const actionCode = (effects: string, runMs: number): string => `async function main({ event, scheduled_at }) {
  const unit = event?.unit ?? (event ? 'event ' + event.decoded.name : 'slot ' + scheduled_at);
  await fetch('http://${effects}/' + encodeURIComponent(unit), { method: 'POST' });
  await new Promise((resolve) => setTimeout(resolve, ${runMs}));
  return unit;
}`;

/** Opens an account with a usage key and its triggers. */
export async function openTenant(
  cluster: Cluster,
  { runMs, hasChainTrigger, schedules = 0, sendingTriggers }: TrafficOptions,
): Promise<Tenant> {
  const core = async (path: string, body: object, key?: string) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'X-Api-Key': key };
    const reply = await ask(`${cluster.relayerUrl}/core/v1/${path}`, body, headers);
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as Record<string, string>;
  };
  const openedAt = new Date().toISOString();
  const { api_key: key = '' } = await core('new_account', { account_name: 'chaos', account_description: '' });
  const { usage_api_key: usageKey = '' } = await core('add_usage_api_key', { execute_in_groups: [0] }, key);
  const wallets =
    sendingTriggers === undefined
      ? { wallets: [], walletKeys: [] }
      : await openWallets(cluster, core, { key, usageKey });
  const hash = apiKeyHash(key);
  const api = async (path: string, body: object, token = '', method = 'POST') => {
    const headers = { Authorization: `Bearer ${token}` };
    const reply = await ask(`${cluster.triggersUrl}/api/${path}`, body, headers, method);
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as Record<string, string>;
  };
  const { token } = await api('login', { account_key: key });
  const trigger = {
    action_code: codeOf(cluster, { runMs, sendingTriggers }),
    usage_api_key: usageKey,
    max_queued_runs: 1_000_000,
    max_runs_per_minute: 1_000_000,
  };
  const webhookIds: string[] = [];
  for (let count = 0; count < (sendingTriggers ?? 1); count++) {
    const config = { delivery_header: 'x-delivery' };
    const webhook = { ...trigger, name: 'webhooks', kind: 'webhook', config };
    webhookIds.push((await api('triggers', webhook, token)).id as string);
  }
  const triggerIds = [...webhookIds];
  if (hasChainTrigger) {
    const config = {
      chain: 'service',
      contract_address: cluster.contract,
      event_signature:
        'GroupAdded(uint256 indexed account, uint256 indexed groupId, string name, string description, uint256[] cidHashes, address[] pkpIds)',
      topic_filters: [numberToHex(hash, { size: 32 })],
    };
    const chain = await api('triggers', { ...trigger, name: 'events', kind: 'chain_event', config }, token);
    triggerIds.push(chain.id as string);
  }
  const scheduleIds: string[] = [];
  for (let second = 0; second < schedules; second++) {
    const config = { cron: `${second},${second + 30} * * * * *` };
    const { id = '' } = await api(
      'triggers',
      { ...trigger, name: 'schedule', kind: 'schedule', config },
      token,
    );
    scheduleIds.push(id);
  }
  return {
    openedAt,
    ...{ key, hash, usageKey, ...wallets, webhookPaths: webhookIds.map((id) => `/webhook/${id}`) },
    triggerIds: [...triggerIds, ...scheduleIds],
    async pauseSchedules() {
      for (const id of scheduleIds) await api(`triggers/${id}`, { enabled: false }, token, 'PATCH');
    },
  };
}

export type Traffic = {
  /** Replies by status, 0 without a reply. */
  replies: Map<number, number>;
  /** Resolves when every unit is accepted or refused, or the deadline has passed. */
  sent: Promise<void>;
};

/** Returns new units, which no sender has sent yet. */
export const createUnits = (count: number, kinds: readonly Kind[] = mixture): Unit[] =>
  Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length] as Kind;
    return { id: `${kind} ${crypto.randomUUID()}`, number: index, kind, isAccepted: false };
  });

/** Sends the units, evenly over `overMs`. */
export function startTraffic(
  cluster: Cluster,
  tenant: Tenant,
  {
    units,
    overMs,
    deadlineMs,
    senders,
    onReply = () => {},
    ...options
  }: TrafficOptions & {
    units: Unit[];
    overMs: number;
    deadlineMs: number;
    /** So many units are on their way, as soon as others are accepted, instead of evenly over `overMs`. */
    senders?: number | undefined;
    onReply?: (kind: Kind, tookMs: number) => void;
  },
  random: Random,
): Traffic {
  const replies = new Map<number, number>();
  const deadline = Date.now() + overMs + deadlineMs;
  const send = async (unit: Unit): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS; Date.now() < deadline; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      const askedAt = performance.now();
      const reply = await sendUnit(cluster, tenant, unit, options).catch(
        (error: Error): Reply => ({ status: 0, body: { message: error.message } }),
      );
      const { status, body } = reply;
      replies.set(status, (replies.get(status) ?? 0) + 1);
      onReply(unit.kind, performance.now() - askedAt);
      if (status === (unit.kind === 'webhook' ? 202 : 200)) {
        unit.isAccepted = true;
        if (unit.kind === 'run' && body.response !== unit.id) unit.refusal = JSON.stringify(body);
        return;
      }
      if (!unit.isAccepted) unit.lastReply = `${status} ${JSON.stringify(body)}`;
      // The service refuses a send with 409 while too many are pending.
      const isRepeated = status === 0 || status === 429 || status >= 500 || unit.kind === 'send';
      if (!isRepeated) return;
      await delay(pauseMs / 2 + random(pauseMs));
    }
  };
  const deliver = async (unit: Unit): Promise<void> => {
    const isRepeated = unit.kind === 'webhook' && random(REDELIVERED) === 0;
    await Promise.all(isRepeated ? [send(unit), send(unit)] : [send(unit)]);
  };
  const deliverInTime = async (unit: Unit, index: number): Promise<void> => {
    await delay((index * overMs) / units.length);
    await deliver(unit);
  };
  const queue = units.values();
  const deliverNext = async (): Promise<void> => {
    for (const unit of queue) await deliver(unit);
  };
  const delivered =
    senders === undefined ? units.map(deliverInTime) : Array.from({ length: senders }, deliverNext);
  const sent = Promise.all(delivered).then(() => {});
  sent.catch(() => {});
  return { replies, sent };
}

function sendUnit(
  cluster: Cluster,
  tenant: Tenant,
  unit: Unit,
  { write, ...options }: TrafficOptions,
): Promise<Reply> {
  const { key, usageKey, webhookPaths } = tenant;
  const { id, kind, number } = unit;
  const transaction =
    options.sendingTriggers === undefined ? undefined : transactionOf(unit, cluster, tenant.wallets);
  const event = { unit: id, ...transaction };
  const core = (path: string) => `${cluster.relayerUrl}/core/v1/${path}`;
  const authorized = (apiKey: string) => ({ 'X-Api-Key': apiKey, 'Idempotency-Key': id });
  switch (kind) {
    case 'webhook':
      return ask(`${cluster.triggersUrl}${webhookPaths[number % webhookPaths.length]}`, event, {
        'X-Delivery': id,
      });
    case 'run': {
      const body = { code: codeOf(cluster, options), js_params: { event } };
      return ask(core('svc_action'), body, authorized(usageKey));
    }
    case 'write': {
      const body =
        write === 'add_group'
          ? { group_name: id, group_description: '', pkp_ids_permitted: [], cid_hashes_permitted: [] }
          : { name: id };
      return ask(core(write), body, authorized(key));
    }
    case 'send': {
      const { pkpId, chainId, to, data } = transaction ?? {};
      const body = { pkp_id: pkpId, chain_id: chainId, to, data, idempotency_key: id };
      // A request with this header again would be the run that was refused.
      return ask(core('send_transaction'), body, { 'X-Api-Key': usageKey });
    }
    case 'list':
      return ask(core('list_groups?page_size=20'), undefined, { 'X-Api-Key': key }, 'GET');
  }
}
