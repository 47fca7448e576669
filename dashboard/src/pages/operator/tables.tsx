/** The tables of the operator's page. */
import { Alert, Badge, List, Text } from '@mantine/core';
import { CircleAlertIcon } from 'lucide-react';
import { type Column, DataTable, WithNote } from '../../components/lists.tsx';
import { Dimmed, Facts, Section } from '../../components/section.tsx';
import { Identifier, Time } from '../../components/values.tsx';
import { locale, t } from '../../i18n.ts';
import type { ChainState, KeyNode, OperatorStatus, Part, Payer, Runner } from './status.ts';
import { nameOf, type Trouble } from './troubles.ts';

const none = '–';
const count = (number: number | null): string => number?.toLocaleString(locale) ?? none;
const seconds = (number: number | null): string =>
  number === null ? none : t('{number} s', { number: Math.round(number) });
/** Six digits are enough to see whether a payer has funds. */
const ether = (wei: string | null): string =>
  wei === null ? none : (Number(wei) / 1e18).toLocaleString(locale, { maximumSignificantDigits: 6 });

function State({ isDown, isDegraded }: { isDown: boolean; isDegraded?: boolean | undefined }) {
  const color = isDown ? 'red' : isDegraded ? 'yellow' : 'teal';
  return (
    <Badge color={color} autoContrast>
      {isDown ? t('Down') : isDegraded ? t('Degraded') : t('Works')}
    </Badge>
  );
}

export function Troubles({ troubles }: { troubles: Trouble[] }) {
  if (troubles.length === 0) return <Text>{t('No part reports a fault.')}</Text>;
  const isDown = troubles.some((trouble) => trouble.isDown);
  return (
    <Alert
      color={isDown ? 'red' : 'yellow'}
      icon={<CircleAlertIcon aria-hidden />}
      title={isDown ? t('A part is down') : t('Signs of trouble')}
    >
      <List size="sm">
        {troubles.map(({ what, text, since }) => (
          <List.Item key={`${what} ${text}`}>
            <b>{what}</b>: {text}
            {since !== undefined && <> {t('Since {time}.', { time: <Time value={new Date(since)} /> })}</>}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

const partColumns: Column<Part>[] = [
  { title: t('Part'), isRowHeading: true, cell: nameOf },
  { title: t('State'), cell: ({ ok, degraded }) => <State isDown={!ok} isDegraded={degraded} /> },
  { title: t('Since'), cell: ({ since }) => (since === undefined ? none : <Time value={new Date(since)} />) },
  { title: t('Reason'), cell: ({ detail = none }) => detail },
];

export function PartsTable({ parts }: { parts: Part[] }) {
  return (
    <Section
      title={t('Parts')}
      about={t('As the relayer that answered sees them, and the trigger service itself.')}
    >
      <DataTable
        label={t('Parts')}
        items={parts}
        columns={partColumns}
        rowKey={({ name }) => name}
        minWidth={520}
      />
    </Section>
  );
}

function payerState({ is_api_payer, is_configured, signer_fails }: Payer): string {
  if (!is_api_payer) return t('not of the contract');
  if (signer_fails) return t('its signer fails');
  return is_configured ? t('in use') : t('of another relayer');
}

const payerColumns = (token: string): Column<Payer>[] => [
  {
    title: t('Address'),
    isRowHeading: true,
    cell: ({ address }) => <Identifier value={address} label={t('Copy the address')} />,
  },
  { title: t('State'), cell: payerState },
  { title: t('Balance ({token})', { token }), ta: 'right', cell: ({ balance_wei }) => ether(balance_wei) },
  { title: t('Nonce on the chain'), ta: 'right', cell: ({ chain_nonce }) => count(chain_nonce) },
  { title: t('Next nonce'), ta: 'right', cell: ({ next_nonce }) => count(next_nonce) },
  {
    title: t('Pending'),
    ta: 'right',
    cell: ({ pending, max_pending }) =>
      t('{pending} of {maxpending}', { pending: count(pending), maxpending: max_pending }),
  },
  { title: t('Oldest'), ta: 'right', cell: ({ oldest_pending_sec }) => seconds(oldest_pending_sec) },
];

export function PayersTable({ payers, token }: { payers: Payer[]; token: string }) {
  return (
    <Section
      title={t('Payers')}
      about={t('They write to managed accounts. Pending counts all relayers on the database.')}
    >
      <DataTable
        label={t('Payers')}
        items={payers}
        columns={payerColumns(token)}
        rowKey={({ address }) => address}
        minWidth={760}
      />
    </Section>
  );
}

type RpcNode = ChainState['nodes'][number] & { chain: ChainState };

const nodeColumns: Column<RpcNode>[] = [
  {
    title: t('Chain'),
    isRowHeading: true,
    cell: ({ chain }) => (
      <WithNote note={t('id {chainid}', { chainid: chain.chain_id })}>{chain.name}</WithNote>
    ),
  },
  { title: t('Head'), ta: 'right', cell: ({ chain }) => count(chain.head) },
  { title: t('RPC node'), cell: ({ node, host }) => `${node}: ${host}` },
  { title: t('State'), cell: ({ works }) => <State isDown={!works} /> },
  { title: t('In use'), cell: ({ is_used }) => (is_used ? t('yes') : t('no')) },
  { title: t('Pending'), ta: 'right', cell: ({ chain }) => count(chain.pending) },
  { title: t('Oldest'), ta: 'right', cell: ({ chain }) => seconds(chain.oldest_pending_sec) },
];

export function ChainsTable({ chains }: { chains: ChainState[] }) {
  return (
    <Section title={t('Chains')} about={t('Nodes by their hosts. Pending are transactions of wallets.')}>
      <DataTable
        label={t('Chains')}
        items={chains.flatMap((chain) => chain.nodes.map((node) => ({ ...node, chain })))}
        columns={nodeColumns}
        rowKey={({ chain, node }) => `${chain.chain_id} ${node}`}
        minWidth={680}
      />
    </Section>
  );
}

export function Queues({ queues }: Pick<OperatorStatus, 'queues'>) {
  const { webhook_deliveries: deliveries, indexer } = queues;
  return (
    <Section title={t('Queues')} about={t('Writes and runs are those of the relayer that answered.')}>
      <Facts
        label={t('Queues')}
        facts={{
          [t('Waiting writes')]: count(queues.writes_waiting),
          [t('Running and waiting runs')]: t('{runs} of {maxruns}', {
            runs: count(queues.runs),
            maxruns: count(queues.max_runs),
          }),
          [t('Webhook deliveries')]: deliveries
            ? t('{waiting} waiting, the oldest overdue for {overduesec}', {
                waiting: count(deliveries.waiting),
                overduesec: seconds(deliveries.overdue_sec),
              })
            : none,
          [t('Indexer')]: indexer
            ? t('block {block}, {lagblocks} blocks behind', {
                block: count(indexer.block),
                lagblocks: count(indexer.lag_blocks),
              })
            : none,
        }}
      />
    </Section>
  );
}

const runnerColumns: Column<Runner>[] = [
  {
    title: t('Runner'),
    isRowHeading: true,
    cell: ({ name }) => name,
    props: { style: { overflowWrap: 'anywhere' } },
  },
  {
    title: t('State'),
    cell: ({ is_connected, fault }) => <State isDown={!is_connected} isDegraded={fault !== null} />,
  },
  { title: t('Version'), cell: ({ version }) => version ?? none },
  { title: t('Idle'), ta: 'right', cell: ({ idle }) => count(idle) },
  { title: t('Running'), ta: 'right', cell: ({ running }) => count(running) },
  { title: t('Queued'), ta: 'right', cell: ({ queued }) => count(queued) },
];

export function RunnersTable({ runners }: { runners: Runner[] }) {
  return (
    <Section title={t('Runners')}>
      <DataTable
        label={t('Runners')}
        items={runners}
        columns={runnerColumns}
        rowKey={({ name }) => name}
        minWidth={560}
      />
    </Section>
  );
}

function dealingText({ dealing }: KeyNode): string {
  if (!dealing) return none;
  const { round, missing } = dealing;
  return missing.length === 0
    ? (round ?? t('joined'))
    : t('{round}, {count} missing', { round, count: missing.length });
}

const keyNodeColumns: Column<KeyNode>[] = [
  { title: t('Key node'), isRowHeading: true, cell: ({ node, host }) => `${node}: ${host}` },
  {
    title: t('State'),
    cell: ({ fault }) => <WithNote note={fault ?? ''}>{<State isDown={fault !== null} />}</WithNote>,
  },
  { title: t('Version'), cell: ({ version }) => version ?? none },
  { title: t('Identifier'), ta: 'right', cell: ({ identifier }) => count(identifier) },
  { title: t('Epoch'), ta: 'right', cell: ({ epoch }) => count(epoch) },
  { title: t('Dealing'), cell: dealingText },
  {
    title: t('Waits until'),
    cell: ({ waits_until: until }) => (until === null ? none : <Time value={new Date(1_000 * until)} />),
  },
  {
    title: t('Identity'),
    cell: ({ public_key: key }) =>
      key === null ? none : <Identifier value={key} label={t('Copy the identity of the node')} />,
  },
];

export function KeyNodesTable({ status }: { status: OperatorStatus }) {
  const { key_group: group, key_nodes: nodes } = status;
  const approved = group?.approved;
  return (
    <Section title={t('Key nodes')}>
      <Facts
        label={t('Key group')}
        facts={{
          [t('Group')]: group
            ? t('{threshold} of {nodes} nodes, epoch {epoch}', {
                threshold: group.threshold,
                nodes: group.nodes,
                epoch: group.epoch,
              })
            : t('not known: the chain does not tell it'),
          [t('Approved for dealings')]: approved
            ? t('{threshold} of {count} nodes', {
                threshold: approved.threshold,
                count: approved.identities.length,
              })
            : none,
        }}
      />
      <DataTable
        label={t('Key nodes')}
        items={nodes}
        columns={keyNodeColumns}
        rowKey={({ node }) => node}
        minWidth={860}
      />
    </Section>
  );
}

export function Configuration({ contract }: Pick<OperatorStatus, 'contract'>) {
  return (
    <Section title={t('Contract')} about={t('The node configuration is public: it is on the chain.')}>
      <Facts
        label={t('Contract')}
        facts={{
          [t('Address')]: (
            <Identifier value={contract.address} label={t('Copy the address of the contract')} />
          ),
          [t('Chain')]: String(contract.chain_id),
        }}
      />
      {contract.configuration ? (
        <Facts
          label={t('Node configuration')}
          facts={Object.fromEntries(
            contract.configuration.map(({ key, value }) => [
              key,
              <Text key={key} size="sm" ff="monospace">
                {value}
              </Text>,
            ]),
          )}
        />
      ) : (
        <Dimmed>{t('The chain does not tell the node configuration.')}</Dimmed>
      )}
    </Section>
  );
}
