import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { download } from '../../components/download.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../i18n.ts';
import { toWord } from '../../names.ts';
import { readAll } from '../../queries.ts';
import { useSession } from '../../session/session-context.tsx';
import type { AccountOnChain } from './account-on-chain.ts';

/** Hashes and derivation paths have 256 bits; amounts, times and group ids are small. */
const toJson = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? (value >> 128n > 0n ? toWord(value) : String(value)) : value;

export function Export({ account }: { account: AccountOnChain }) {
  const { client, mode } = useSession();
  const [part, setPart] = useState('');
  const save = useMutation({
    mutationFn: async () => {
      const read = async <Items,>(name: string, items: () => Promise<Items>): Promise<Items> => {
        setPart(name);
        return items();
      };
      const content = {
        exportedAt: new Date(),
        account: { ...account, mode },
        usageKeys: await read('keys', () => readAll<object>((page) => client.listApiKeys(page))),
        groups: await read('groups', () => readAll<object>((page) => client.listGroups(page))),
        actions: await read('actions', () => readAll<object>((page) => client.listActions(page))),
        wallets: await read('wallets', () => readAll<object>((page) => client.listWallets(page))),
        ledger: await read('ledger', () => readAll((page) => client.listLedger(page))),
        runs: await read('runs', () => readAll((page) => client.listRuns(page))),
      };
      download('latchkey-account.json', 'application/json', JSON.stringify(content, toJson, 2));
    },
  });
  return (
    <Section
      align="start"
      title={t('Export')}
      about={
        <>
          {t(
            'One JSON file with usage keys (by hash), groups, actions, wallets, the ledger and the records of runs. It has no secrets.',
          )}
          {mode === 'chainSecured' && (
            <> {t('The wallet signs one message, so that the ledger and runs can be read.')}</>
          )}
        </>
      }
    >
      {save.error && <ErrorMessage error={save.error} />}
      <Group>
        <Button variant="default" onClick={() => save.mutate()} loading={save.isPending}>
          {t('Download the export')}
        </Button>
        <Text size="sm" role="status">
          {save.isPending
            ? t(
                'Reading {list, select, keys {the usage keys} groups {the groups} actions {the actions} wallets {the wallets} ledger {the ledger} other {the runs}}…',
                { list: part },
              )
            : save.isSuccess
              ? t('The file was saved.')
              : ''}
        </Text>
      </Group>
    </Section>
  );
}
