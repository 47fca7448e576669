import { Button, Table, Text } from '@mantine/core';
import { IconCode } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { permitsAction } from '../access.ts';
import { LoadedAll, Names, Paged } from '../components/lists.tsx';
import { EmptyState, Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Identifier } from '../components/values.tsx';
import { nameOfAction, nameOfGroup, toWord } from '../names.ts';
import { useActions, useGroups, useKnownCids } from '../queries.ts';

export default function Actions() {
  const navigate = useNavigate();
  const queries = { actions: useActions(), groups: useGroups(), cids: useKnownCids() };
  const create = () => void navigate({ to: '/actions/new' });
  return (
    <Page
      title="Actions"
      about="An action is JavaScript that runs with the wallets of its groups. Its CID names its exact code."
      action={
        <Button component={Link} to="/actions/new">
          New action
        </Button>
      }
    >
      <LoadedAll queries={queries}>
        {({ actions, groups, cids }) =>
          actions.length === 0 ? (
            <EmptyState
              icon={IconCode}
              title="No actions yet"
              action={{ label: 'Write an action', onClick: create }}
            >
              Write an action, run it, and register it. Add it to a group with the wallets that it needs:
              usage keys of the group can run it.
            </EmptyState>
          ) : (
            <Paged items={actions} of="actions">
              {(shown) => (
                <Table.ScrollContainer minWidth={600} type="native">
                  <Table aria-label="Actions" verticalSpacing="sm">
                    <Table.Thead>
                      <Table.Tr>
                        <Table.Th>Name</Table.Th>
                        <Table.Th>CID</Table.Th>
                        <Table.Th>Groups</Table.Th>
                      </Table.Tr>
                    </Table.Thead>
                    <Table.Tbody>
                      {shown.map(({ hashedCid, description }) => {
                        const cid = cids.get(hashedCid);
                        return (
                          <Table.Tr key={String(hashedCid)}>
                            <Table.Td maw={280}>
                              <TextLink
                                to="/actions/$cid"
                                params={{ cid: cid ?? toWord(hashedCid) }}
                                fw={500}
                                underline="hover"
                              >
                                {nameOfAction(actions, hashedCid)}
                              </TextLink>
                              <Text size="xs" c="dimmed" lineClamp={2}>
                                {description}
                              </Text>
                            </Table.Td>
                            <Table.Td>
                              {cid === undefined ? (
                                <>
                                  <Identifier value={toWord(hashedCid)} label="the hash of the CID" />
                                  <Text size="xs" c="dimmed">
                                    Hash of the CID
                                  </Text>
                                </>
                              ) : (
                                <Identifier value={cid} label="the CID" />
                              )}
                            </Table.Td>
                            <Table.Td>
                              <Names
                                names={groups
                                  .filter((group) => permitsAction(group, hashedCid))
                                  .map(nameOfGroup)}
                                none="No group"
                              />
                            </Table.Td>
                          </Table.Tr>
                        );
                      })}
                    </Table.Tbody>
                  </Table>
                </Table.ScrollContainer>
              )}
            </Paged>
          )
        }
      </LoadedAll>
    </Page>
  );
}
