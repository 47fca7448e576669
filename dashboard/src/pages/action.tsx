/** One action: its groups, its labels, its code, and a run. The path has its CID, or the hash of it. */
import { cidHash } from '@latchkey/protocol';
import { Group } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { DialogButton, RemoveButton } from '../components/dialog.tsx';
import { changes, Form, LabelFields } from '../components/form.tsx';
import { GroupsOf } from '../components/groups-of.tsx';
import { LoadedAll } from '../components/lists.tsx';
import { Missing, Page } from '../components/page.tsx';
import { Section } from '../components/section.tsx';
import { Identifier } from '../components/values.tsx';
import { type ListedAction, type ListedGroup, nameOfAction, toWord } from '../names.ts';
import { useActions, useGroups, useKnownCids, useStoredCids } from '../queries.ts';
import { useWrite } from '../session/write.tsx';
import { CodeSection } from './actions/code-section.tsx';
import { RunPanel } from './actions/run-panel.tsx';

const isHash = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text);

export default function OneAction() {
  const { cid: path } = useParams({ from: '/actions/$cid' });
  const queries = { actions: useActions(), groups: useGroups(), cids: useKnownCids() };
  const stored = useStoredCids();
  return (
    <LoadedAll queries={queries}>
      {({ actions, groups, cids }) => {
        const hash = isHash(path) ? BigInt(path) : cidHash(path);
        const action = actions.find((one) => one.cidHash === hash);
        if (!action)
          return <Missing one="action" why="The account has no action with this CID." to="/actions" />;
        const cid = isHash(path) ? (cids.get(hash) ?? stored.get(hash)) : path;
        return <Details key={path} action={action} actions={actions} groups={groups} cid={cid} />;
      }}
    </LoadedAll>
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
  const { cidHash: hash, description } = action;
  return (
    <Page
      title={nameOfAction(actions, hash)}
      about={
        <>
          {description && `${description} · `}
          {cid === undefined ? 'Hash of the CID ' : 'CID '}
          <Identifier
            value={cid ?? toWord(hash)}
            label={cid === undefined ? 'the hash of the CID' : 'the CID'}
          />
        </>
      }
      action={
        <Group gap="xs">
          <DialogButton label="Edit" title="Edit the action">
            {(close) => <EditLabels action={action} onDone={close} />}
          </DialogButton>
          <RemoveButton
            one="action"
            to="/actions"
            prepare={(client) => client.prepare.deleteAction({ cid: hash })}
            refresh={['actions', 'groups']}
          />
        </Group>
      }
    >
      <Section title="Groups">
        <GroupsOf
          member={{ cids: [hash] }}
          one="action"
          groups={groups}
          isIn={({ cidHashes }) => cidHashes.includes(hash)}
          isInByWildcard={({ cidHashes }) => cidHashes.includes(0n)}
        />
      </Section>
      <CodeSection action={{ hash, cid }}>
        {(code) => {
          const source = cid === undefined ? code !== undefined && { code } : { cid };
          return source && <RunPanel source={source} initialParams="{}" />;
        }}
      </CodeSection>
    </Page>
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
      compare: changes(
        { Name: name, Description: description },
        { Name: labels.name, Description: labels.description },
      ),
      refresh: ['actions'],
    });
  return (
    <Form label="Change the action" send={send} onDone={onDone}>
      <LabelFields value={labels} onChange={setLabels} />
    </Form>
  );
}
