import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CodeIcon } from 'lucide-react';
import { permitsAction } from '../access.ts';
import { DataTable, LoadedAll, Names, nameCell, WithNote } from '../components/lists.tsx';
import { EmptyState, Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Identifier } from '../components/values.tsx';
import { type ListedAction, type ListedGroup, nameOfAction, nameOfGroup, toWord } from '../names.ts';
import { useActions, useGroups, useKnownCids, useStoredCids } from '../queries.ts';

const create = (
  <Group gap="xs">
    <Button component={Link} to="/actions/templates" variant="default">
      Templates
    </Button>
    <Button component={Link} to="/actions/new">
      New action
    </Button>
  </Group>
);

export default function Actions() {
  const queries = { actions: useActions(), groups: useGroups(), cids: useKnownCids() };
  const stored = useStoredCids();
  return (
    <Page
      title="Actions"
      about="An action is JavaScript that runs with the wallets of its groups. Its CID names its exact code."
      action={create}
    >
      <LoadedAll queries={queries}>
        {({ actions, groups, cids }) =>
          actions.length === 0 ? (
            <EmptyState icon={CodeIcon} title="No actions yet" action={create}>
              Write an action, run it, and register it. Add it to a group with the wallets that it needs:
              usage keys of the group can run it.
            </EmptyState>
          ) : (
            <List actions={actions} groups={groups} cids={new Map([...cids, ...stored])} />
          )
        }
      </LoadedAll>
    </Page>
  );
}

type Lists = { actions: ListedAction[]; groups: ListedGroup[]; cids: Map<bigint, string> };

function List({ actions, groups, cids }: Lists) {
  return (
    <DataTable
      label="Actions"
      items={actions}
      of="actions"
      rowKey={({ cidHash }) => String(cidHash)}
      minWidth={600}
      columns={[
        {
          title: 'Name',
          props: nameCell,
          cell: ({ cidHash, description }) => (
            <WithNote note={description}>
              <TextLink to="/actions/$cid" params={{ cid: cids.get(cidHash) ?? toWord(cidHash) }} fw={500}>
                {nameOfAction(actions, cidHash)}
              </TextLink>
            </WithNote>
          ),
        },
        { title: 'CID', cell: ({ cidHash }) => <Cid hash={cidHash} cid={cids.get(cidHash)} /> },
        {
          title: 'Groups',
          cell: ({ cidHash }) => (
            <Names
              names={groups.filter((group) => permitsAction(group, cidHash)).map(nameOfGroup)}
              none="No group"
            />
          ),
        },
      ]}
    />
  );
}

/** The CID, or its hash while the CID is not known. */
function Cid({ hash, cid }: { hash: bigint; cid: string | undefined }) {
  if (cid !== undefined) return <Identifier value={cid} label="the CID" />;
  return (
    <WithNote note="Hash of the CID">
      <Identifier value={toWord(hash)} label="the hash of the CID" />
    </WithNote>
  );
}
