import { Stack } from '@mantine/core';
import { UsersIcon } from 'lucide-react';
import { runsIn } from '../access.ts';
import { visible } from '../components/api-words.ts';
import { DialogButton } from '../components/dialog.tsx';
import { List } from '../components/list.tsx';
import { LoadedAll, NameLine, Names, nameCell } from '../components/lists.tsx';
import { EmptyState, Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { t } from '../i18n.ts';
import { type AccountLists, nameOfAction, nameOfGroup, nameOfKey, nameOfWallet } from '../names.ts';
import { useAccountLists } from '../queries.ts';
import { Ask } from './groups/ask.tsx';
import { GroupForm } from './groups/group-form.tsx';
import { Matrix } from './groups/matrix.tsx';

export default function Groups() {
  const queries = useAccountLists();
  const create = (
    <DialogButton label={t('New group')} variant="filled">
      {(close) => <GroupForm onDone={close} />}
    </DialogButton>
  );
  return (
    <Page
      title={t('Groups')}
      about={t('A group says which actions may use which wallets. Usage keys get permissions in groups.')}
      action={create}
    >
      <LoadedAll<AccountLists> queries={queries}>
        {(lists) =>
          lists.groups.length === 0 ? (
            <EmptyState icon={UsersIcon} title={t('No groups yet')} action={create}>
              {t(
                'Put an action and the wallets that it needs into a group, then permit a usage key to run the actions of the group.',
              )}
            </EmptyState>
          ) : (
            <Stack gap="xl">
              <GroupTable {...lists} />
              <Matrix {...lists} />
              <Ask {...lists} />
            </Stack>
          )
        }
      </LoadedAll>
    </Page>
  );
}

function GroupTable({ groups, keys, actions, wallets }: AccountLists) {
  return (
    <List
      label={t('Groups')}
      items={groups}
      rowKey={({ groupId }) => String(groupId)}
      minWidth={640}
      texts={(group) => [nameOfGroup(group), group.description]}
      columns={[
        {
          title: t('Name'),
          props: nameCell,
          sort: ['name', nameOfGroup],
          cell: (group) => (
            <NameLine note={group.description && visible(group.description)}>
              <TextLink to="/groups/$id" params={{ id: String(group.groupId) }} fw={500}>
                {nameOfGroup(group)}
              </TextLink>
            </NameLine>
          ),
        },
        {
          title: t('Actions'),
          sort: ['actions', ({ cidHashes }) => cidHashes.length],
          cell: ({ cidHashes }) => <Names names={cidHashes.map((hash) => nameOfAction(actions, hash))} />,
        },
        {
          title: t('Wallets'),
          sort: ['wallets', ({ pkpIds }) => pkpIds.length],
          cell: ({ pkpIds }) => <Names names={pkpIds.map((address) => nameOfWallet(wallets, address))} />,
        },
        {
          title: t('Usage keys that run in it'),
          sort: ['keys', (group) => keys.filter((key) => runsIn(key, group)).length],
          cell: (group) => <Names names={keys.filter((key) => runsIn(key, group)).map(nameOfKey)} />,
        },
      ]}
    />
  );
}
