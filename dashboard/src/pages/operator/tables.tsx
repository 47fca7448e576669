/** The tables of the operator's page. */
import { Alert, Badge, List, Text } from '@mantine/core';
import { CircleAlertIcon } from 'lucide-react';
import { type Column, DataTable, WithNote } from '../../components/lists.tsx';
import { Dimmed, Facts, Section } from '../../components/section.tsx';
import { Identifier, Time } from '../../components/values.tsx';
import type { ChainState, KeyNode, OperatorStatus, Part, Payer, Runner } from './status.ts';
import { nameOf, type Trouble } from './troubles.ts';

const none = '–';
const count = (number: number | null): string => number?.toLocaleString('en') ?? none;
const seconds = (number: number | null): string => (number === null ? none : `${Math.round(number)} s`);
/** Six digits are enough to see whether a payer has funds. */
const ether = (wei: string | null): string =>
  wei === null ? none : (Number(wei) / 1e18).toLocaleString('en', { maximumSignificantDigits: 6 });

function State({ isDown, isDegraded }: { isDown: boolean; isDegraded?: boolean | undefined }) {
  const color = isDown ? 'red' : isDegraded ? 'yellow' : 'teal';
  return (
    <Badge miw="max-content" color={color} tt="none" autoContrast>
      {isDown ? 'Down' : isDegraded ? 'Degraded' : 'Works'}
    </Badge>
  );
}

export function Troubles({ troubles }: { troubles: Trouble[] }) {
  if (troubles.length === 0) return <Text>No part reports a fault.</Text>;
  const isDown = troubles.some((trouble) => trouble.isDown);
  return (
    <Alert
      color={isDown ? 'red' : 'yellow'}
      icon={<CircleAlertIcon aria-hidden />}
      title={isDown ? 'A part is down' : 'Signs of trouble'}
    >
      <List size="sm">
        {troubles.map(({ what, text, since }) => (
          <List.Item key={`${what} ${text}`}>
            <b>{what}</b>: {text}
            {since !== undefined && (
              <>
                {' '}
                Since <Time value={new Date(since)} />.
              </>
            )}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

const partColumns: Column<Part>[] = [
  { title: 'Part', isRowHeading: true, cell: nameOf },
  { title: 'State', cell: ({ ok, degraded }) => <State isDown={!ok} isDegraded={degraded} /> },
  { title: 'Since', cell: ({ since }) => (since === undefined ? none : <Time value={new Date(since)} />) },
  { title: 'Reason', cell: ({ detail = none }) => detail },
];

export function PartsTable({ parts }: { parts: Part[] }) {
  return (
    <Section title="Parts" about="As the relayer that answered sees them, and the trigger service itself.">
      <DataTable
        label="Parts"
        items={parts}
        columns={partColumns}
        rowKey={({ name }) => name}
        minWidth={520}
      />
    </Section>
  );
}

function payerState({ is_api_payer, is_configured, signer_fails }: Payer): string {
  if (!is_api_payer) return 'not of the contract';
  if (signer_fails) return 'its signer fails';
  return is_configured ? 'in use' : 'of another relayer';
}

const payerColumns = (token: string): Column<Payer>[] => [
  {
    title: 'Address',
    isRowHeading: true,
    cell: ({ address }) => <Identifier value={address} label="the address" />,
  },
  { title: 'State', cell: payerState },
  { title: `Balance (${token})`, ta: 'right', cell: ({ balance_wei }) => ether(balance_wei) },
  { title: 'Nonce on the chain', ta: 'right', cell: ({ chain_nonce }) => count(chain_nonce) },
  { title: 'Next nonce', ta: 'right', cell: ({ next_nonce }) => count(next_nonce) },
  {
    title: 'Pending',
    ta: 'right',
    cell: ({ pending, max_pending }) => `${count(pending)} of ${max_pending}`,
  },
  { title: 'Oldest', ta: 'right', cell: ({ oldest_pending_sec }) => seconds(oldest_pending_sec) },
];

export function PayersTable({ payers, token }: { payers: Payer[]; token: string }) {
  return (
    <Section
      title="Payers"
      about="They write to managed accounts. Pending counts all relayers on the database."
    >
      <DataTable
        label="Payers"
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
    title: 'Chain',
    isRowHeading: true,
    cell: ({ chain }) => <WithNote note={`id ${chain.chain_id}`}>{chain.name}</WithNote>,
  },
  { title: 'Head', ta: 'right', cell: ({ chain }) => count(chain.head) },
  { title: 'RPC node', cell: ({ node, host }) => `${node}: ${host}` },
  { title: 'State', cell: ({ works }) => <State isDown={!works} /> },
  { title: 'In use', cell: ({ is_used }) => (is_used ? 'yes' : 'no') },
  { title: 'Pending', ta: 'right', cell: ({ chain }) => count(chain.pending) },
  { title: 'Oldest', ta: 'right', cell: ({ chain }) => seconds(chain.oldest_pending_sec) },
];

export function ChainsTable({ chains }: { chains: ChainState[] }) {
  return (
    <Section title="Chains" about="Nodes by their hosts. Pending are transactions of wallets.">
      <DataTable
        label="Chains"
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
    <Section title="Queues" about="Writes and runs are those of the relayer that answered.">
      <Facts
        label="Queues"
        facts={{
          'Waiting writes': count(queues.writes_waiting),
          'Running and waiting runs': `${count(queues.runs)} of ${count(queues.max_runs)}`,
          'Webhook deliveries': deliveries
            ? `${count(deliveries.waiting)} waiting, the oldest overdue for ${seconds(deliveries.overdue_sec)}`
            : none,
          Indexer: indexer
            ? `block ${count(indexer.block)}, ${count(indexer.lag_blocks)} blocks behind`
            : none,
        }}
      />
    </Section>
  );
}

const runnerColumns: Column<Runner>[] = [
  {
    title: 'Runner',
    isRowHeading: true,
    cell: ({ name }) => name,
    props: { style: { overflowWrap: 'anywhere' } },
  },
  {
    title: 'State',
    cell: ({ is_connected, fault }) => <State isDown={!is_connected} isDegraded={fault !== null} />,
  },
  { title: 'Version', cell: ({ version }) => version ?? none },
  { title: 'Idle', ta: 'right', cell: ({ idle }) => count(idle) },
  { title: 'Running', ta: 'right', cell: ({ running }) => count(running) },
  { title: 'Queued', ta: 'right', cell: ({ queued }) => count(queued) },
];

export function RunnersTable({ runners }: { runners: Runner[] }) {
  return (
    <Section title="Runners">
      <DataTable
        label="Runners"
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
  return missing.length === 0 ? (round ?? 'joined') : `${round}, ${missing.length} missing`;
}

const keyNodeColumns: Column<KeyNode>[] = [
  { title: 'Key node', isRowHeading: true, cell: ({ node, host }) => `${node}: ${host}` },
  {
    title: 'State',
    cell: ({ fault }) => <WithNote note={fault ?? ''}>{<State isDown={fault !== null} />}</WithNote>,
  },
  { title: 'Version', cell: ({ version }) => version ?? none },
  { title: 'Identifier', ta: 'right', cell: ({ identifier }) => count(identifier) },
  { title: 'Epoch', ta: 'right', cell: ({ epoch }) => count(epoch) },
  { title: 'Dealing', cell: dealingText },
  {
    title: 'Waits until',
    cell: ({ waits_until: until }) => (until === null ? none : <Time value={new Date(1_000 * until)} />),
  },
  {
    title: 'Identity',
    cell: ({ public_key: key }) =>
      key === null ? none : <Identifier value={key} label="the identity of the node" />,
  },
];

export function KeyNodesTable({ status }: { status: OperatorStatus }) {
  const { key_group: group, key_nodes: nodes } = status;
  const approved = group?.approved;
  return (
    <Section title="Key nodes">
      <Facts
        label="Key group"
        facts={{
          Group: group
            ? `${group.threshold} of ${group.nodes} nodes, epoch ${group.epoch}`
            : 'not known: the chain does not tell it',
          'Approved for dealings': approved
            ? `${approved.threshold} of ${approved.identities.length} nodes`
            : none,
        }}
      />
      <DataTable
        label="Key nodes"
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
    <Section title="Contract" about="The node configuration is public: it is on the chain.">
      <Facts
        label="Contract"
        facts={{
          Address: <Identifier value={contract.address} label="the address of the contract" />,
          Chain: String(contract.chain_id),
        }}
      />
      {contract.configuration ? (
        <Facts
          label="Node configuration"
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
        <Dimmed>The chain does not tell the node configuration.</Dimmed>
      )}
    </Section>
  );
}
