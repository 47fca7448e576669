/** A new version of an action: its code, what it changes, and the writes that put it in the place of the version before. */
import { cidHash, cidOf } from '@latchkey/protocol';
import { Radio, Stack, Text } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { CreditAccess } from '../components/credit-access.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { Form, LabelFields } from '../components/form.tsx';
import { LoadedAll } from '../components/lists.tsx';
import { Loaded, Loading, Missing, Page } from '../components/page.tsx';
import { Section } from '../components/section.tsx';
import { TextLink } from '../components/text-link.tsx';
import { t } from '../i18n.ts';
import { type AccountLists, type ListedAction, nameOfAction } from '../names.ts';
import { useAccountLists, useKnownCids, useStoredCids, useStoredCodes } from '../queries.ts';
import { CodeField, useCid } from './actions/code-field.tsx';
import { DraftNotice, useDraft } from './actions/draft.tsx';
import { requestForm } from './actions/param-forms.ts';
import type { BuiltPolicy } from './actions/policy-code.ts';
import { PolicyEditor } from './actions/policy-editor.tsx';
import { RunByKeyboard, RunPanel } from './actions/run-panel.tsx';
import { actionOfPath, useStoredCode } from './actions/stored-code.ts';
import { usePolicy } from './actions/use-policy.ts';
import { useVersion } from './actions/use-version.ts';
import { TriggersOf } from './actions/used-by.tsx';
import type { Replaced } from './actions/version-changes.ts';
import { VersionPreview } from './actions/version-preview.tsx';
import { Changes } from './actions/versions.tsx';

export default function Publish() {
  const { cid: path } = useParams({ from: '/actions/$cid/publish' });
  return (
    <CreditAccess>
      <WithAction key={path} path={path} />
    </CreditAccess>
  );
}

function WithAction({ path }: { path: string }) {
  const queries = { ...useAccountLists(), cids: useKnownCids(), codes: useStoredCodes() };
  const stored = useStoredCids();
  /** It stays when a part of the writes has removed it, so that the others can be sent again. */
  const known = useRef<ListedAction>(undefined);
  return (
    <LoadedAll queries={queries}>
      {({ cids, codes, ...lists }) => {
        const { hash, cid } = actionOfPath(path, cids, stored);
        const action = lists.actions.find((one) => one.cidHash === hash) ?? known.current;
        known.current = action;
        if (!action)
          return (
            <Missing
              title={t('There is no such action')}
              why={t('The account has no action with this CID.')}
              to="/actions"
            />
          );
        const isStored = codes.some((code) => code.cid === cid);
        return (
          <Page
            title={t('New version of {actions}', { actions: nameOfAction(lists.actions, hash) })}
            about={t('It takes the place of <link>this version</link> in its groups.', {
              link: (inner) => (
                <TextLink to="/actions/$cid" params={{ cid: path }} size="sm">
                  {inner}
                </TextLink>
              ),
            })}
          >
            {cid !== undefined && isStored ? (
              <WithCode cid={cid} action={action} lists={lists} />
            ) : (
              <>
                <Text size="sm">
                  {t('The code of the version before is not stored: write or paste the new one.')}
                </Text>
                <Version start="" action={action} lists={lists} />
              </>
            )}
          </Page>
        );
      }}
    </LoadedAll>
  );
}

type Shown = { action: ListedAction; lists: AccountLists };

function WithCode({ cid, ...shown }: Shown & { cid: string }) {
  const code = useStoredCode(cid);
  const policy = usePolicy(code.data);
  return (
    <Loaded query={code}>
      {(start) =>
        policy === undefined ? (
          <Loading height={240} />
        ) : policy ? (
          <PolicyVersion start={policy} {...shown} />
        ) : (
          <Version start={start} {...shown} />
        )
      }
    </Loaded>
  );
}

/** @param start - The policy of the version before. */
function PolicyVersion({ start, action, lists }: Shown & { start: BuiltPolicy }) {
  return (
    <PolicyEditor
      name={`version.${action.cidHash}`}
      start={start.text}
      about={t(
        'The policy of the version before. The code of the new version is built from what you make of it.',
      )}
      form={requestForm(start.kinds)}
    >
      {({ policy, code, cid, clear }) => (
        <>
          <ShowChanges before={start.text} after={policy} />
          <TriggersBefore hash={action.cidHash} />
          <PublishForm code={code} cid={cid} action={action} lists={lists} onPublished={clear} />
        </>
      )}
    </PolicyEditor>
  );
}

function ShowChanges(versions: { before: string; after: string }) {
  return (
    <DialogButton
      label={t('Show the changes')}
      title={t('Changes to the version before')}
      size="xs"
      style={{ alignSelf: 'start' }}
      modal={{ size: 'xl' }}
    >
      {() => <Changes {...versions} />}
    </DialogButton>
  );
}

/** Triggers name their code or its CID: a new version does not change them. */
function TriggersBefore({ hash }: { hash: bigint }) {
  return (
    <Section
      title={t('Triggers of the version before')}
      about={t(
        'They go on to run the version before. Give them the new CID once it is published: they fail when no group of their usage key permits the version before.',
      )}
    >
      <TriggersOf hash={hash} none={t('No trigger runs the version before.')} />
    </Section>
  );
}

/** @param start - The code of the version before, when it is stored. */
function Version({ start, action, lists }: Shown & { start: string }) {
  const draft = useDraft(`version.${action.cidHash}`, start);
  const { code, initial, change, clear } = draft;
  const cid = useCid(code);
  return (
    <>
      <DraftNotice draft={draft} />
      <RunByKeyboard>
        <CodeField initial={initial} cid={cid} onChange={change} isRunnable>
          {start !== '' && <ShowChanges before={start} after={code} />}
        </CodeField>
        <RunPanel source={{ code }} />
      </RunByKeyboard>
      <TriggersBefore hash={action.cidHash} />
      <PublishForm code={code} cid={cid} action={action} lists={lists} onPublished={clear} />
    </>
  );
}

type Published = Shown & { code: string | undefined; cid: string | undefined; onPublished: () => void };

function PublishForm({ code, cid, action, lists, onPublished }: Published) {
  const navigate = useNavigate();
  const { cidHash: before, name = '', description = '' } = action;
  const [labels, setLabels] = useState({ name, description });
  const [replaced, setReplaced] = useState<Replaced>('registered');
  const publish = useVersion();
  const hash = cid === undefined ? undefined : cidHash(cid);
  const isNew = hash !== undefined && hash !== before && code !== undefined && code.trim() !== '';
  const send = async (): Promise<string | undefined> => {
    if (code === undefined) return undefined;
    const { actions, groups } = lists;
    const version = { cid: await cidOf(code), ...labels, replaces: before, replaced, actions, groups, code };
    const shown = { title: t('Publish the version'), done: t('The new version is published.') };
    return (await publish(version, shown)) ? version.cid : undefined;
  };
  return (
    <Section title={t('Publish this version')}>
      <Form
        label={t('Publish the version')}
        send={send}
        onDone={(cid) => {
          onPublished();
          void navigate({ to: '/actions/$cid', params: { cid } });
        }}
        isInline
        button={{ variant: 'filled', disabled: !isNew }}
      >
        <LabelFields value={labels} onChange={setLabels} />
        <Radio.Group
          label={t('The version before')}
          value={replaced}
          onChange={(value) => setReplaced(value as Replaced)}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="registered" label={t('Stays registered, without its groups')} />
            <Radio value="permitted" label={t('Stays in its groups, beside the new version')} />
            <Radio value="removed" label={t('Is removed from the account')} />
          </Stack>
        </Radio.Group>
        {isNew ? (
          <VersionPreview lists={lists} before={before} after={hash} replaced={replaced} />
        ) : (
          <Text size="sm">
            {hash === before
              ? t('This is the code of the version before.')
              : t('There is nothing to publish yet.')}
          </Text>
        )}
      </Form>
    </Section>
  );
}
