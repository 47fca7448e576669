import { Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CodeIcon } from 'lucide-react';
import { permitsAction } from '../access.ts';
import { visible } from '../components/api-words.ts';
import { List } from '../components/list.tsx';
import { LoadedAll, NameLine, Names, nameCell } from '../components/lists.tsx';
import { EmptyState, Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Identifier } from '../components/values.tsx';
import { t } from '../i18n.ts';
import {
  groupFilter,
  type ListedAction,
  type ListedGroup,
  nameOfAction,
  nameOfGroup,
  toWord,
} from '../names.ts';
import { useActions, useGroups, useKnownCids, useStoredCids } from '../queries.ts';

const create = (
  <Group gap="xs">
    <Button component={Link} to="/actions/templates" variant="default">
      {t('Templates')}
    </Button>
    <Button component={Link} to="/actions/new">
      {t('New action')}
    </Button>
  </Group>
);

export default function Actions() {
  const queries = { actions: useActions(), groups: useGroups(), cids: useKnownCids() };
  const stored = useStoredCids();
  return (
    <Page
      title={t('Actions')}
      about={t(
        'An action is JavaScript that runs with the wallets of its groups. Its CID names its exact code.',
      )}
      action={create}
    >
      <LoadedAll queries={queries}>
        {({ actions, groups, cids }) =>
          actions.length === 0 ? (
            <EmptyState icon={CodeIcon} title={t('No actions yet')} action={create}>
              {t(
                'Write an action, run it, and register it. Add it to a group with the wallets that it needs: usage keys of the group can run it.',
              )}
            </EmptyState>
          ) : (
            <ActionList actions={actions} groups={groups} cids={new Map([...cids, ...stored])} />
          )
        }
      </LoadedAll>
    </Page>
  );
}

type Lists = { actions: ListedAction[]; groups: ListedGroup[]; cids: Map<bigint, string> };

function ActionList({ actions, groups, cids }: Lists) {
  const nameOf = ({ cidHash }: ListedAction) => nameOfAction(actions, cidHash);
  return (
    <List
      label={t('Actions')}
      items={actions}
      rowKey={({ cidHash }) => String(cidHash)}
      minWidth={600}
      texts={(action) => [
        nameOf(action),
        action.description,
        cids.get(action.cidHash),
        toWord(action.cidHash),
      ]}
      filters={[groupFilter(groups, ({ cidHash }: ListedAction, group) => permitsAction(group, cidHash))]}
      columns={[
        {
          title: t('Name'),
          props: nameCell,
          sort: ['name', nameOf],
          cell: ({ cidHash, description }) => (
            <NameLine note={description && visible(description)}>
              <TextLink to="/actions/$cid" params={{ cid: cids.get(cidHash) ?? toWord(cidHash) }} fw={500}>
                {nameOfAction(actions, cidHash)}
              </TextLink>
            </NameLine>
          ),
        },
        { title: t('CID'), cell: ({ cidHash }) => <Cid hash={cidHash} cid={cids.get(cidHash)} /> },
        {
          title: t('Groups'),
          cell: ({ cidHash }) => (
            <Names
              names={groups.filter((group) => permitsAction(group, cidHash)).map(nameOfGroup)}
              none={t('No group')}
            />
          ),
        },
      ]}
    />
  );
}

/** The CID, or its hash while the CID is not known. */
function Cid({ hash, cid }: { hash: bigint; cid: string | undefined }) {
  if (cid !== undefined) return <Identifier value={cid} label={t('Copy the CID')} />;
  return (
    <>
      <Identifier value={toWord(hash)} label={t('Copy the hash of the CID')} />{' '}
      <Text span size="xs" c="dimmed">
        {t('Hash of the CID')}
      </Text>
    </>
  );
}
