/** Which usage keys run which actions with which wallets: a row per action, a column per wallet, key names in the cells. */
import { Group, Select, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { type Address, zeroAddress } from 'viem';
import { keysThatRun } from '../../access.ts';
import { Names, Paged } from '../../components/lists.tsx';
import { short } from '../../components/values.tsx';
import {
  type AccountLists,
  groupOptions,
  keyOptions,
  nameOfAction,
  nameOfKey,
  nameOfWallet,
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
      <Title order={2} size="h4">
        Who runs what with which wallet
      </Title>
      <Group align="end">
        <Select
          label="Group"
          placeholder="Every group"
          data={groupOptions(groups)}
          value={groupId}
          onChange={setGroupId}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Show every group' }}
        />
        <Select
          label="Usage key"
          placeholder="Every usage key"
          data={keyOptions(keys)}
          value={keyHash}
          onChange={setKeyHash}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Show every usage key' }}
        />
      </Group>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {groupId === null ? 'No group has an action yet.' : 'This group has no action yet.'} Open the group
          and add one.
        </Text>
      ) : (
        <Paged items={rows} of="actions">
          {(shown) => (
            <Table.ScrollContainer
              minWidth={320 + 160 * columns.length}
              type="native"
              tabIndex={0}
              role="region"
              aria-label="Who runs what with which wallet"
            >
              <Table withTableBorder withColumnBorders aria-label="Usage keys by action and wallet">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th className="sticky-column">Action</Table.Th>
                    <Table.Th>Runs it</Table.Th>
                    {columns.map((wallet) => (
                      <Table.Th key={wallet} title={wallet}>
                        With {wallet === zeroAddress ? 'every wallet' : nameOfWallet(wallets, wallet)}
                        {wallet !== zeroAddress && (
                          <Text size="xs" c="dimmed" ff="monospace">
                            {short(wallet)}
                          </Text>
                        )}
                      </Table.Th>
                    ))}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {shown.map((action) => (
                    <Table.Tr key={String(action)}>
                      <Table.Th scope="row" className="sticky-column">
                        {nameOfAction(actions, action)}
                      </Table.Th>
                      <Table.Td>
                        <Names names={names(action)} />
                      </Table.Td>
                      {columns.map((wallet) => (
                        <Table.Td key={wallet}>
                          <Names names={names(action, wallet)} />
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )}
        </Paged>
      )}
      {permitted.length > columns.length && (
        <Text size="sm" c="dimmed">
          The first {columns.length} of {permitted.length} wallets are shown. Choose a group to see its
          wallets.
        </Text>
      )}
    </Stack>
  );
}
