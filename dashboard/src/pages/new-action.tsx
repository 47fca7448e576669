/** The editor: code, its CID, a run, and the registration. */
import { cidHash, cidOf } from '@latchkey/protocol';
import { Select, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Form, LabelFields, type Labels } from '../components/form.tsx';
import { LoadedAll } from '../components/lists.tsx';
import { Page } from '../components/page.tsx';
import { Section } from '../components/section.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Unsaved } from '../components/unsaved.tsx';
import { groupOptions, type ListedAction, type ListedGroup } from '../names.ts';
import { useActions, useGroups } from '../queries.ts';
import { useWrite } from '../session/write.tsx';
import type { PreparedWrite } from '../session/write-stage.ts';
import { CodeField, useCid } from './actions/code-field.tsx';
import { RunPanel } from './actions/run-panel.tsx';

const EXAMPLE = `// main gets the parameters of the run, and returns its response.
async function main({ name }) {
  console.log('greeting', name);
  return \`hello \${name}\`;
}
`;

export default function NewAction() {
  const [code, setCode] = useState(EXAMPLE);
  const cid = useCid(code);
  const queries = { actions: useActions(), groups: useGroups() };
  const registered = useRef('');
  return (
    <Page
      title="New action"
      about="Write the code, run it with a usage key, and register its CID. A key whose groups have every action can run it before that."
    >
      <Unsaved isLost={() => code !== EXAMPLE && code !== registered.current}>
        The code is lost: the account stores only its CID. Copy the code first.
      </Unsaved>
      <CodeField initial={EXAMPLE} cid={cid} onChange={setCode} />
      <RunPanel source={{ code }} initialParams={'{ "name": "you" }'} />
      <LoadedAll queries={queries}>
        {({ actions, groups }) => (
          <Register
            code={code}
            cid={cid}
            actions={actions}
            groups={groups}
            onRegistered={() => {
              registered.current = code;
            }}
          />
        )}
      </LoadedAll>
    </Page>
  );
}

type New = {
  code: string;
  cid: string | undefined;
  actions: ListedAction[];
  groups: ListedGroup[];
  onRegistered: () => void;
};

function Register({ code, cid, actions, groups, onRegistered }: New) {
  const navigate = useNavigate();
  const [labels, setLabels] = useState({ name: '', description: '' });
  const [groupId, setGroupId] = useState<string | null>(null);
  /** The CID that this form registers. The form stays after the first of its two writes, to show an error of the second. */
  const [sent, setSent] = useState<string>();
  const has = (cid: string): boolean => actions.some((action) => action.cidHash === cidHash(cid));
  const register = useRegister();
  const send = async (): Promise<string | undefined> => {
    const cid = await cidOf(code);
    setSent(cid);
    return (await register({ cid, ...labels, isRegistered: has(cid), groupId })) ? cid : undefined;
  };
  if (cid !== undefined && cid !== sent && has(cid))
    return (
      <Text size="sm">
        This code is registered.{' '}
        <TextLink to="/actions/$cid" params={{ cid }} size="sm">
          Open the action
        </TextLink>
        .
      </Text>
    );
  return (
    <Section title="Register this action">
      <Form
        label="Register the action"
        send={send}
        onDone={(cid) => {
          onRegistered();
          void navigate({ to: '/actions/$cid', params: { cid } });
        }}
        isInline
      >
        <LabelFields value={labels} onChange={setLabels} />
        <Select
          label="Group"
          description="Usage keys of the group can run it."
          placeholder="No group"
          data={groupOptions(groups)}
          value={groupId}
          onChange={setGroupId}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Choose no group' }}
        />
      </Form>
    </Section>
  );
}

type Registration = Labels & { cid: string; isRegistered: boolean; groupId: string | null };

/** Returns the function that registers an action and adds it to a group. It resolves to whether the user confirmed both writes. */
function useRegister() {
  const write = useWrite();
  return async ({ isRegistered, groupId, ...action }: Registration): Promise<boolean> => {
    const member = groupId === null ? undefined : { groupId: BigInt(groupId), cid: action.cid };
    if (!isRegistered) {
      const registered = await write<unknown>({
        title: 'Register the action',
        done: 'The action was registered.',
        // A wallet signs one transaction for both.
        prepare: async (client): Promise<PreparedWrite<unknown>> => {
          if (client.mode === 'api' || !member) return client.prepare.addAction(action);
          return client.prepare.batch([
            await client.prepare.addAction(action),
            await client.prepare.addActionToGroup(member),
          ]);
        },
        refresh: ['actions', 'groups'],
      });
      if (!registered) return false;
      if ('transactionHash' in registered) return true;
    }
    if (!member) return true;
    const added = await write({
      title: 'Add to the group',
      done: 'The group has the action.',
      prepare: (client) => client.prepare.addActionToGroup(member),
      refresh: ['groups'],
    });
    return added !== undefined;
  };
}
