/** The permissions of usage keys as a table: a row per action, a column per wallet, names of keys in the cells. */
import { Group, Select, Stack, Table } from '@mantine/core';
import { useState } from 'react';
import { type Address, zeroAddress } from 'viem';
import { keysThatRun } from '../../access.ts';
import { Names, Paged, WideTable, WithNote } from '../../components/lists.tsx';
import { Dimmed, Heading } from '../../components/section.tsx';
import { short } from '../../components/values.tsx';
import {
  type AccountLists,
  groupOptions,
  keyOptions,
  nameOfAction,
  nameOfKey,
  nameOfWallet,
  type Option,
} from '../../names.ts';

/** More columns are not readable. */
const MAX_COLUMNS = 12;

export function Matrix({ groups, keys, actions, wallets }: AccountLists) {
  const [groupId, setGroupId] = useState<string | null>(null);
  const [keyHash, setKeyHash] = useState<string | null>(null);
  const chosenGroups = groups.filter((group) => groupId === null || String(group.groupId) === groupId);
  const chosenKeys = keys.filter((key) => keyHash === null || String(key.usageKeyHash) === keyHash);
  const rows = [...new Set(chosenGroups.flatMap(({ cidHashes }) => cidHashes))];
  const permitted = [...new Set(chosenGroups.flatMap(({ pkpIds }) => pkpIds))];
  const columns = permitted.slice(0, MAX_COLUMNS);
  const names = (action: bigint, wallet?: Address) =>
    keysThatRun(chosenKeys, chosenGroups, action, wallet).map(nameOfKey);
  return (
    <Stack gap="sm">
      <Heading>Who runs what with which wallet</Heading>
      <Group align="end">
        <Filter label="Group" data={groupOptions(groups)} value={groupId} onChange={setGroupId} />
        <Filter label="Usage key" data={keyOptions(keys)} value={keyHash} onChange={setKeyHash} />
      </Group>
      {rows.length === 0 ? (
        <Dimmed>
          {groupId === null ? 'No group has an action yet.' : 'This group has no action yet.'} Open the group
          and add one.
        </Dimmed>
      ) : (
        <Paged items={rows} of="actions">
          {(shown) => (
            <Cells
              rows={shown}
              columns={columns}
              nameOfRow={(action) => nameOfAction(actions, action)}
              nameOfColumn={(wallet) => nameOfWallet(wallets, wallet)}
              namesIn={names}
            />
          )}
        </Paged>
      )}
      {permitted.length > columns.length && (
        <Dimmed>
          The first {columns.length} of {permitted.length} wallets are shown. Choose a group to see its
          wallets.
        </Dimmed>
      )}
    </Stack>
  );
}

function Filter({
  label,
  ...select
}: {
  label: string;
  data: Option[];
  value: string | null;
  onChange: (value: string | null) => void;
}) {
  const every = `every ${label.toLowerCase()}`;
  return (
    <Select
      label={label}
      placeholder={`E${every.slice(1)}`}
      {...select}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Show ${every}` }}
    />
  );
}

function Cells({
  rows,
  columns,
  nameOfRow,
  nameOfColumn,
  namesIn,
}: {
  rows: readonly bigint[];
  columns: readonly Address[];
  nameOfRow: (action: bigint) => string;
  nameOfColumn: (wallet: Address) => string;
  namesIn: (action: bigint, wallet?: Address) => string[];
}) {
  return (
    <WideTable
      label="Usage keys by action and wallet"
      minWidth={320 + 160 * columns.length}
      withTableBorder
      withColumnBorders
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th className="sticky-column">Action</Table.Th>
          <Table.Th>Runs it</Table.Th>
          {columns.map((wallet) => (
            <Table.Th key={wallet} title={wallet} miw={120} style={{ overflowWrap: 'anywhere' }}>
              {wallet === zeroAddress ? (
                'With every wallet'
              ) : (
                <WithNote note={short(wallet)} ff="monospace">
                  With {nameOfColumn(wallet)}
                </WithNote>
              )}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((action) => (
          <Table.Tr key={String(action)}>
            <Table.Th scope="row" className="sticky-column">
              {nameOfRow(action)}
            </Table.Th>
            {[undefined, ...columns].map((wallet) => (
              <Table.Td key={wallet ?? 'any'}>
                <Names names={namesIn(action, wallet)} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
