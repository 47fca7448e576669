/** One action: its groups, its labels, and a run of its code. The path has its CID, or the hash of it. */
import { cidHash } from '@latchkey/protocol';
import { Button, Card, Group, Modal, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { GroupsOf } from '../components/groups-of.tsx';
import { LoadedAll } from '../components/lists.tsx';
import { Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Identifier } from '../components/values.tsx';
import { LabelFields, WriteForm } from '../components/write-form.tsx';
import { type ListedAction, type ListedGroup, nameOfAction, toWord } from '../names.ts';
import { useActions, useGroups, useKnownCids } from '../queries.ts';
import { useWrite } from '../session/write.tsx';
import { CodeField, useCid } from './actions/code-field.tsx';
import { RunPanel } from './actions/run-panel.tsx';

const isHash = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text);

export default function OneAction() {
  const { cid: path } = useParams({ from: '/actions/$cid' });
  const queries = { actions: useActions(), groups: useGroups(), cids: useKnownCids() };
  return (
    <LoadedAll queries={queries}>
      {({ actions, groups, cids }) => {
        const hash = isHash(path) ? BigInt(path) : cidHash(path);
        const action = actions.find((one) => one.cidHash === hash);
        if (!action) return <Missing />;
        const cid = isHash(path) ? cids.get(hash) : path;
        return <Details key={path} action={action} actions={actions} groups={groups} cid={cid} />;
      }}
    </LoadedAll>
  );
}

function Missing() {
  return (
    <Page title="There is no such action">
      <Text>
        The account has no action with this CID. <TextLink to="/actions">Show all actions</TextLink>.
      </Text>
    </Page>
  );
}

function Details({
  action,
  actions,
  groups,
  cid,
}: {
  action: ListedAction;
  actions: ListedAction[];
  groups: ListedGroup[];
  cid: string | undefined;
}) {
  const write = useWrite();
  const navigate = useNavigate();
  const [isEditing, editing] = useDisclosure(false);
  const { cidHash: hash, description } = action;
  const remove = async (): Promise<void> => {
    const written = await write({
      title: 'Remove the action',
      done: 'The action was removed.',
      isDestructive: true,
      prepare: (client) => client.prepare.deleteAction({ cid: hash }),
      refresh: ['actions', 'groups'],
    });
    if (written) await navigate({ to: '/actions' });
  };
  return (
    <Page
      title={nameOfAction(actions, hash)}
      about={
        <>
          {description && `${description} · `}
          {cid === undefined ? (
            <>
              Hash of the CID <Identifier value={toWord(hash)} label="the hash of the CID" />
            </>
          ) : (
            <>
              CID <Identifier value={cid} label="the CID" />
            </>
          )}
        </>
      }
      action={
        <Group gap="xs">
          <Button variant="default" onClick={editing.open}>
            Edit
          </Button>
          <Button variant="outline" color="red" onClick={() => void remove()}>
            Remove the action
          </Button>
        </Group>
      }
    >
      <Card withBorder component="section" aria-label="Groups">
        <Title order={2} size="h4" mb="sm">
          Groups
        </Title>
        <GroupsOf
          member={{ cids: [hash] }}
          one="action"
          groups={groups}
          isIn={({ cidHashes }) => cidHashes.includes(hash)}
          isInByWildcard={({ cidHashes }) => cidHashes.includes(0n)}
        />
      </Card>
      {cid === undefined ? <Pasted hash={hash} /> : <RunPanel source={{ cid }} initialParams="{}" />}
      <Modal opened={isEditing} onClose={editing.close} title="Edit the action">
        <EditLabels action={action} onDone={editing.close} />
      </Modal>
    </Page>
  );
}

/** The chain has the hash of the CID only: without the CID, the code is needed to run it. */
function Pasted({ hash }: { hash: bigint }) {
  const [code, setCode] = useState('');
  const cid = useCid(code);
  const isSame = cid !== undefined && cidHash(cid) === hash;
  return (
    <>
      <Text size="sm">
        The chain stores the hash of the CID only, and no run of this action is known here. Paste its code to
        run it.
      </Text>
      <CodeField initial="" cid={cid} onChange={setCode}>
        <Text size="sm" role="status">
          {isSame
            ? 'This is the code of the action.'
            : code !== '' && 'This is other code than that of the action.'}
        </Text>
      </CodeField>
      {isSame && <RunPanel source={{ code }} initialParams="{}" />}
    </>
  );
}

function EditLabels({ action, onDone }: { action: ListedAction; onDone: () => void }) {
  const write = useWrite();
  const { cidHash: cid, name = '', description = '' } = action;
  const [labels, setLabels] = useState({ name, description });
  const send = () =>
    write({
      title: 'Change the action',
      done: 'The action was changed.',
      prepare: (client) => client.prepare.updateActionMetadata({ cid, ...labels }),
      compare: [
        { label: 'Name', before: name, after: labels.name },
        { label: 'Description', before: description, after: labels.description },
      ],
      refresh: ['actions'],
    });
  return (
    <WriteForm label="Change the action" send={send} onDone={onDone}>
      <LabelFields value={labels} onChange={setLabels} />
    </WriteForm>
  );
}
