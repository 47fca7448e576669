import { t } from '../../i18n.ts';
import type { KeyNode, OperatorStatus, Part, Payer, TriggersHealth } from './status.ts';

/** A sign of trouble. `since` is a time as a text. */
export type Trouble = { what: string; text: string; since?: string | undefined; isDown: boolean };

/** Webhooks retry, and blocks come in groups: less is usual. */
const OVERDUE_SEC = 300;
const LAG_BLOCKS = 10;
const PENDING_SEC = 180;

const partNames: { [name: string]: string } = {
  chain: t('Chain'),
  chains: t('Chains of wallets'),
  indexer: t('Indexer'),
  database: t('Database'),
  runtime: t('Runners'),
  payers: t('Payers'),
  keys: t('Key nodes'),
  triggers: t('Trigger service'),
  'triggers.database': t('Trigger service: database'),
  'triggers.core': t('Trigger service: relayer'),
  'triggers.chains': t('Trigger service: chains'),
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
          what: t('RPC node {node} of {name}', { node, name }),
          text: t('{host} failed: the log of the relayer has the reason.', { host }),
          isDown: false,
        })),
    ),
    ...status.runners
      .filter(({ is_connected, fault }) => !is_connected || fault !== null)
      .map(({ name, fault }) => ({
        what: t('Runner'),
        text: `${name}: ${fault ?? t('not connected')}.`,
        isDown: false,
      })),
    ...status.key_nodes.flatMap(ofKeyNode),
    ...ofQueues(status),
    ...ofVersions(status, triggers),
  ];
  return found.toSorted((a, b) => Number(b.isDown) - Number(a.isDown));
}

function ofPart(part: Part): Trouble[] {
  const { ok, degraded, detail = t('does not work'), since } = part;
  if (ok && !degraded) return [];
  return [{ what: nameOf(part), text: `${detail}.`, since, isDown: !ok }];
}

function ofPayer(payer: Payer): Trouble[] {
  const { address, is_configured, pending, max_pending, oldest_pending_sec: oldestSec } = payer;
  const texts: string[] = [];
  if (is_configured && pending !== null && pending >= max_pending)
    texts.push(t('all {max} places are in use, and further writes wait.', { max: max_pending }));
  if (oldestSec !== null && oldestSec > PENDING_SEC)
    texts.push(
      t('its oldest transaction is pending for {oldestSec} seconds.', { oldestSec: Math.round(oldestSec) }),
    );
  return texts.map((text) => ({ what: t('Payer {address}', { address }), text, isDown: false }));
}

function ofKeyNode({ node, host, fault, waits_until: until, dealing }: KeyNode): Trouble[] {
  const texts: string[] = [];
  if (fault !== null) texts.push(`${host} ${fault}.`);
  if (until !== null)
    texts.push(
      t('{host} deals in a newly approved group at {time} unless its operator refuses.', {
        host,
        time: new Date(1_000 * until).toISOString(),
      }),
    );
  if (dealing && dealing.faults > 0)
    texts.push(
      t('{host} saw {faults, plural, one {# fault} other {# faults}} in a dealing.', {
        host,
        faults: dealing.faults,
      }),
    );
  return texts.map((text) => ({
    what: t('Key node {node}', { node }),
    text,
    isDown: false,
  }));
}

function ofQueues({ queues: { webhook_deliveries: deliveries, indexer } }: OperatorStatus): Trouble[] {
  const troubles: Trouble[] = [];
  if (deliveries && deliveries.overdue_sec > OVERDUE_SEC)
    troubles.push({
      what: t('Webhooks'),
      text: t('The oldest delivery is overdue for {seconds} seconds.', {
        seconds: Math.round(deliveries.overdue_sec),
      }),
      isDown: false,
    });
  if (indexer?.lag_blocks && indexer.lag_blocks > LAG_BLOCKS)
    troubles.push({
      what: t('Indexer'),
      text: t('It is {blocks} blocks behind.', { blocks: indexer.lag_blocks }),
      isDown: false,
    });
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
  const text = t('The relayer has {version}, other parts have {different}.', {
    version: status.version,
    different: different.join(', '),
  });
  return [{ what: t('Versions'), text, isDown: false }];
}
