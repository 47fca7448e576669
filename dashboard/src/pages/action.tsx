/** One action: its groups, its labels, its code, a run, its versions, and who uses it. The path has its CID, or the hash of it. */
import { Group } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { DialogButton, RemoveButton } from '../components/dialog.tsx';
import { changes, Form, LabelFields } from '../components/form.tsx';
import { GroupsOf } from '../components/groups-of.tsx';
import { LoadedAll } from '../components/lists.tsx';
import { Loading, Missing, Page } from '../components/page.tsx';
import { Section } from '../components/section.tsx';
import { ButtonLink } from '../components/text-link.tsx';
import { Identifier } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { type ListedAction, type ListedGroup, nameOfAction, toWord } from '../names.ts';
import { useActions, useGroups, useKnownCids, useStoredCids } from '../queries.ts';
import { useWrite } from '../session/write.tsx';
import { CodeSection } from './actions/code-section.tsx';
import { requestForm } from './actions/param-forms.ts';
import { PolicySection } from './actions/policy-editor.tsx';
import { RunByKeyboard, RunPanel } from './actions/run-panel.tsx';
import { actionOfPath } from './actions/stored-code.ts';
import { formOf } from './actions/templates.ts';
import { usePolicy } from './actions/use-policy.ts';
import { UsedBy } from './actions/used-by.tsx';
import { Versions } from './actions/versions.tsx';

export default function OneAction() {
  const { cid: path } = useParams({ from: '/actions/$cid' });
  const queries = { actions: useActions(), groups: useGroups(), cids: useKnownCids() };
  const stored = useStoredCids();
  return (
    <LoadedAll queries={queries}>
      {({ actions, groups, cids }) => {
        const { hash, cid } = actionOfPath(path, cids, stored);
        const action = actions.find((one) => one.cidHash === hash);
        if (!action)
          return (
            <Missing
              title={t('There is no such action')}
              why={t('The account has no action with this CID.')}
              to="/actions"
            />
          );
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
          {cid === undefined
            ? t('Hash of the CID {id}', {
                id: <Identifier value={toWord(hash)} label={t('Copy the hash of the CID')} />,
              })
            : t('CID {id}', { id: <Identifier value={cid} label={t('Copy the CID')} /> })}
        </>
      }
      action={<Buttons action={action} cid={cid} />}
    >
      <Section title={t('Groups')}>
        <GroupsOf
          member={{ cids: [hash] }}
          one="action"
          groups={groups}
          isIn={({ cidHashes }) => cidHashes.includes(hash)}
          isInByWildcard={({ cidHashes }) => cidHashes.includes(0n)}
        />
      </Section>
      <RunByKeyboard>
        <CodeSection action={{ hash, cid }}>{(code) => <Run cid={cid} code={code} />}</CodeSection>
      </RunByKeyboard>
      <Versions hash={hash} actions={actions} groups={groups} />
      <UsedBy hash={hash} groups={groups} />
    </Page>
  );
}

/** The run form fits a template or a policy. A registered policy is told in sentences too. */
function Run({ cid, code }: { cid: string | undefined; code: string | undefined }) {
  const policy = usePolicy(code);
  const source = cid !== undefined ? { cid } : code !== undefined && { code };
  if (policy === undefined) return <Loading height={240} />;
  return (
    <>
      {policy && <PolicySection explanation={policy.explanation} />}
      {source && (
        <RunPanel source={source} form={policy === null ? formOf(cid) : requestForm(policy.kinds)} />
      )}
    </>
  );
}

function Buttons({ action, cid }: { action: ListedAction; cid: string | undefined }) {
  const { cidHash: hash } = action;
  return (
    <Group gap="xs">
      <ButtonLink to="/actions/$cid/publish" params={{ cid: cid ?? toWord(hash) }}>
        {t('Publish a new version')}
      </ButtonLink>
      <DialogButton label={t('Edit')} title={t('Edit the action')}>
        {(close) => <EditLabels action={action} onDone={close} />}
      </DialogButton>
      <RemoveButton
        title={t('Remove the action')}
        done={t('The action was removed.')}
        to="/actions"
        prepare={(client) => client.prepare.deleteAction({ cid: hash })}
        refresh={['actions', 'groups']}
      />
    </Group>
  );
}

function EditLabels({ action, onDone }: { action: ListedAction; onDone: () => void }) {
  const write = useWrite();
  const { cidHash: cid, name = '', description = '' } = action;
  const [labels, setLabels] = useState({ name, description });
  const send = () =>
    write({
      title: t('Change the action'),
      done: t('The action was changed.'),
      prepare: (client) => client.prepare.updateActionMetadata({ cid, ...labels }),
      compare: changes(
        { [t('Name')]: name, [t('Description')]: description },
        { [t('Name')]: labels.name, [t('Description')]: labels.description },
      ),
      refresh: ['actions'],
    });
  return (
    <Form label={t('Change the action')} send={send} onDone={onDone}>
      <LabelFields value={labels} onChange={setLabels} />
    </Form>
  );
}
