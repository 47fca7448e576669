import type { KeyNode, OperatorStatus, Part, Payer, TriggersHealth } from './status.ts';

/** A sign of trouble. `since` is a time as a text. */
export type Trouble = { what: string; text: string; since?: string | undefined; isDown: boolean };

/** Webhooks retry, and blocks come in groups: less is usual. */
const OVERDUE_SEC = 300;
const LAG_BLOCKS = 10;
const PENDING_SEC = 180;

const partNames: { [name: string]: string } = {
  chain: 'Chain',
  chains: 'Chains of wallets',
  indexer: 'Indexer',
  database: 'Database',
  runtime: 'Runners',
  payers: 'Payers',
  keys: 'Key nodes',
  triggers: 'Trigger service',
  'triggers.database': 'Trigger service: database',
  'triggers.core': 'Trigger service: relayer',
  'triggers.chains': 'Trigger service: chains',
};

export const nameOf = ({ name }: Part): string => partNames[name] ?? name;

/** Lists the signs of trouble, those of parts that are down first. */
export function troublesOf(status: OperatorStatus, triggers: TriggersHealth | undefined): Trouble[] {
  const found: Trouble[] = [
    ...[...status.parts, ...(triggers?.parts ?? [])].flatMap(ofPart),
    ...status.payers.flatMap(ofPayer),
    ...status.chains.flatMap(({ name, nodes }) =>
      nodes
        .filter(({ works }) => !works)
        .map(({ node, host }) => ({
          what: `RPC node ${node} of ${name}`,
          text: `${host} failed: the log of the relayer has the reason.`,
          isDown: false,
        })),
    ),
    ...status.runners
      .filter(({ is_connected, fault }) => !is_connected || fault !== null)
      .map(({ name, fault }) => ({
        what: 'Runner',
        text: `${name}: ${fault ?? 'not connected'}.`,
        isDown: false,
      })),
    ...status.key_nodes.flatMap(ofKeyNode),
    ...ofQueues(status),
    ...ofVersions(status, triggers),
  ];
  return found.toSorted((a, b) => Number(b.isDown) - Number(a.isDown));
}

function ofPart(part: Part): Trouble[] {
  const { ok, degraded, detail = 'does not work', since } = part;
  if (ok && !degraded) return [];
  return [{ what: nameOf(part), text: `${detail}.`, since, isDown: !ok }];
}

function ofPayer(payer: Payer): Trouble[] {
  const { address, is_configured, pending, max_pending, oldest_pending_sec: oldestSec } = payer;
  const texts: string[] = [];
  if (is_configured && pending !== null && pending >= max_pending)
    texts.push(`all ${max_pending} places are in use, and further writes wait`);
  if (oldestSec !== null && oldestSec > PENDING_SEC)
    texts.push(`its oldest transaction is pending for ${Math.round(oldestSec)} seconds`);
  return texts.map((text) => ({ what: `Payer ${address}`, text: `${text}.`, isDown: false }));
}

function ofKeyNode({ node, host, fault, waits_until: until, dealing }: KeyNode): Trouble[] {
  const texts: string[] = [];
  if (fault !== null) texts.push(fault);
  if (until !== null)
    texts.push(
      `deals in a newly approved group at ${new Date(1_000 * until).toISOString()} unless its operator refuses`,
    );
  if (dealing && dealing.faults > 0) texts.push(`saw ${dealing.faults} faults in a dealing`);
  return texts.map((text) => ({ what: `Key node ${node}`, text: `${host} ${text}.`, isDown: false }));
}

function ofQueues({ queues: { webhook_deliveries: deliveries, indexer } }: OperatorStatus): Trouble[] {
  const troubles: Trouble[] = [];
  if (deliveries && deliveries.overdue_sec > OVERDUE_SEC)
    troubles.push({
      what: 'Webhooks',
      text: `The oldest delivery is overdue for ${Math.round(deliveries.overdue_sec)} seconds.`,
      isDown: false,
    });
  if (indexer?.lag_blocks && indexer.lag_blocks > LAG_BLOCKS)
    troubles.push({ what: 'Indexer', text: `It is ${indexer.lag_blocks} blocks behind.`, isDown: false });
  return troubles;
}

/** Parts of several versions work together, but for a rolling deploy only. */
function ofVersions(status: OperatorStatus, triggers: TriggersHealth | undefined): Trouble[] {
  const others = [
    triggers?.version,
    status.queues.indexer?.version,
    ...status.runners.map(({ version }) => version),
    ...status.key_nodes.map(({ version }) => version),
  ].filter((version) => version != null && version !== status.version);
  const different = [...new Set(others)];
  if (different.length === 0) return [];
  const text = `The relayer has ${status.version}, other parts have ${different.join(', ')}.`;
  return [{ what: 'Versions', text, isDown: false }];
}
