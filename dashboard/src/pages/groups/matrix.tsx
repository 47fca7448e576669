/** The permissions of usage keys as a table: a row per action, a column per wallet, names of keys in the cells. */
import { Group, Select, Stack, Table } from '@mantine/core';
import { type Address, zeroAddress } from 'viem';
import { keysThatRun } from '../../access.ts';
import { Names, Paged, WideTable, WithNote } from '../../components/lists.tsx';
import { Dimmed, Heading } from '../../components/section.tsx';
import type { Option } from '../../components/select-items.ts';
import { useUrlValues } from '../../components/url-values.ts';
import { short } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
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
  const [{ group: askedGroup, key: askedKey }, change] = useUrlValues(['group', 'key']);
  const one = groups.filter(({ groupId }) => String(groupId) === askedGroup);
  const oneKey = keys.filter(({ usageKeyHash }) => String(usageKeyHash) === askedKey);
  const chosenGroups = one.length > 0 ? one : groups;
  const chosenKeys = oneKey.length > 0 ? oneKey : keys;
  const rows = [...new Set(chosenGroups.flatMap(({ cidHashes }) => cidHashes))];
  const permitted = [...new Set(chosenGroups.flatMap(({ pkpIds }) => pkpIds))];
  const columns = permitted.slice(0, MAX_COLUMNS);
  const names = (action: bigint, wallet?: Address) =>
    keysThatRun(chosenKeys, chosenGroups, action, wallet).map(nameOfKey);
  return (
    <Stack gap="sm">
      <Heading>{t('Who runs what with which wallet')}</Heading>
      <Group align="end">
        <Filter
          label={t('Group')}
          data={groupOptions(groups)}
          value={askedGroup}
          onChange={(group) => change({ group })}
        />
        <Filter
          label={t('Usage key')}
          data={keyOptions(keys)}
          value={askedKey}
          onChange={(key) => change({ key })}
        />
      </Group>
      {rows.length === 0 ? (
        <Dimmed>
          {one.length > 0 ? t('This group has no action yet.') : t('No group has an action yet.')}{' '}
          {t('Open the group and add one.')}
        </Dimmed>
      ) : (
        <Paged items={rows}>
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
          {t('The first {count} of {all} wallets are shown. Choose a group to see its wallets.', {
            count: columns.length,
            all: permitted.length,
          })}
        </Dimmed>
      )}
    </Stack>
  );
}

function Filter({
  label,
  value,
  onChange,
  data,
}: {
  label: string;
  data: Option[];
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Select
      label={label}
      placeholder={t('All')}
      data={data}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? '')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('Clear the filter “{label}”', { label }) }}
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
      label={t('Usage keys by action and wallet')}
      minWidth={320 + 160 * columns.length}
      withTableBorder
      withColumnBorders
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th className="sticky-column">{t('Action')}</Table.Th>
          <Table.Th>{t('Runs it')}</Table.Th>
          {columns.map((wallet) => (
            <Table.Th key={wallet} title={wallet} miw={120} style={{ overflowWrap: 'anywhere' }}>
              {wallet === zeroAddress ? (
                t('With every wallet')
              ) : (
                <WithNote note={short(wallet)} ff="monospace">
                  {t('With {wallet}', { wallet: nameOfColumn(wallet) })}
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
