import { Button, Group, Stack } from '@mantine/core';
import { KeyIcon } from 'lucide-react';
import { useState } from 'react';
import { isExpired, runsIn } from '../access.ts';
import { DialogButton } from '../components/dialog.tsx';
import { List } from '../components/list.tsx';
import { type Column, LoadedAll, NameLine, Names, nameCell } from '../components/lists.tsx';
import { EmptyState, Page } from '../components/page.tsx';
import type { Filter } from '../components/select-items.ts';
import { TextLink } from '../components/text-link.tsx';
import { short } from '../components/values.tsx';
import { t } from '../i18n.ts';
import {
  groupFilter,
  type ListedGroup,
  type ListedUsageKey,
  nameOfKey,
  namesOfGroups,
  toWord,
} from '../names.ts';
import { useGroups, useLastRuns, useUsageKeys } from '../queries.ts';
import { useSession } from '../session/session-context.tsx';
import { type CreatedKey, KeyForm } from './keys/key-form.tsx';
import { ListedLastUse } from './keys/last-use.tsx';
import { NewKey } from './keys/new-key.tsx';
import { describeCaps, describeExpiry } from './keys/permissions.ts';
import { useRemoveAllKeys } from './keys/remove-all.ts';

export default function Keys() {
  const queries = { keys: useUsageKeys(), groups: useGroups() };
  const [created, setCreated] = useState<CreatedKey>();
  const create = (
    <DialogButton label={t('New usage key')} variant="filled">
      {(close) => (
        <KeyForm
          onDone={(key) => {
            close();
            setCreated(key);
          }}
        />
      )}
    </DialogButton>
  );
  return (
    <Page
      title={t('Usage keys')}
      about={t(
        'Programs run actions with usage keys. Each key runs the actions of its groups, within its caps, until it expires.',
      )}
      action={create}
    >
      <LoadedAll queries={queries}>
        {({ keys, groups }) => (
          <>
            {keys.length === 0 ? (
              <EmptyState icon={KeyIcon} title={t('No usage keys yet')} action={create}>
                {t(
                  'Give each program its own key with the groups that it needs. The account key stays with you: it cannot run actions, and should be in no program.',
                )}
              </EmptyState>
            ) : (
              <KeyTable keys={keys} groups={groups} />
            )}
            {created && <NewKey created={created} groups={groups} onStored={() => setCreated(undefined)} />}
          </>
        )}
      </LoadedAll>
    </Page>
  );
}

const expiry: Filter<ListedUsageKey> = {
  name: 'state',
  label: t('State'),
  options: [
    { value: 'active', label: t('Active') },
    { value: 'expired', label: t('Expired') },
  ],
  matches: (key, state) => isExpired(key) === (state === 'expired'),
};

const name: Column<ListedUsageKey> = {
  title: t('Name'),
  props: nameCell,
  sort: ['name', nameOfKey],
  cell: (key) => (
    <NameLine note={short(toWord(key.usageKeyHash))}>
      <TextLink to="/keys/$hash" params={{ hash: toWord(key.usageKeyHash) }} fw={500}>
        {nameOfKey(key)}
      </TextLink>
    </NameLine>
  ),
};

const caps: Column<ListedUsageKey> = {
  title: t('Caps'),
  props: { miw: 240 },
  cell: (key) => <Names names={describeCaps(key)} none={t('No caps')} />,
};

function KeyTable({ keys, groups }: { keys: ListedUsageKey[]; groups: ListedGroup[] }) {
  const { mode } = useSession();
  const [isUseShown, setIsUseShown] = useState(mode === 'api');
  const lastRuns = useLastRuns(isUseShown);
  const removeAll = useRemoveAllKeys();
  return (
    <Stack>
      <List
        label={t('Usage keys')}
        items={keys}
        rowKey={({ usageKeyHash }) => String(usageKeyHash)}
        minWidth={900}
        texts={(key) => [nameOfKey(key), key.description, toWord(key.usageKeyHash)]}
        filters={[groupFilter(groups, runsIn), expiry]}
        columns={[
          name,
          {
            title: t('Runs the actions of'),
            cell: (key) => <Names names={namesOfGroups(key.executeInGroups, groups)} none={t('No group')} />,
          },
          ...(mode === 'api' ? [caps] : []),
          {
            title: t('Expires'),
            sort: [
              'expires',
              ({ expiration }) => (expiration === 0n ? Number.POSITIVE_INFINITY : expiration),
            ],
            cell: (key) => describeExpiry(key.expiration),
          },
          {
            title: t('Last use'),
            props: { w: 150 },
            sort: ['last-use', (key) => lastRuns.data?.byKey.get(key.usageKeyHash)?.startedAt.getTime() ?? 0],
            cell: (key) => (
              <ListedLastUse
                hash={key.usageKeyHash}
                runs={lastRuns}
                isShown={isUseShown}
                onShow={() => setIsUseShown(true)}
              />
            ),
          },
        ]}
      />
      <Group justify="end">
        <Button variant="subtle" color="red" size="xs" onClick={() => void removeAll()}>
          {t('Remove all usage keys')}
        </Button>
      </Group>
    </Stack>
  );
}
