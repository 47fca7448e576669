/** Registers code as an action. */
import { cidHash, cidOf } from '@latchkey/protocol';
import { Checkbox, Select, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { check, Form, LabelFields } from '../../components/form.tsx';
import { LoadedAll } from '../../components/lists.tsx';
import { Section } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { t } from '../../i18n.ts';
import { groupOptions, type ListedAction, type ListedGroup } from '../../names.ts';
import { useActions, useGroups } from '../../queries.ts';
import { useSession } from '../../session/session-context.tsx';
import { useVersion } from './use-version.ts';

type New = {
  /** Undefined while there is nothing to register. */
  code: string | undefined;
  cid: string | undefined;
  /** The name that the form begins with. */
  name: string;
  onRegistered: () => void;
};

export function Register(action: New) {
  const queries = { actions: useActions(), groups: useGroups() };
  return <LoadedAll queries={queries}>{(lists) => <RegisterForm {...action} {...lists} />}</LoadedAll>;
}

type Lists = { actions: ListedAction[]; groups: ListedGroup[] };

function RegisterForm({ code, cid, name, actions, groups, onRegistered }: New & Lists) {
  const navigate = useNavigate();
  const [labels, setLabels] = useState({ name, description: '' });
  const [groupId, setGroupId] = useState<string | null>(null);
  const [isStored, setIsStored] = useState(true);
  /** The CID that this form registers. The form stays after a part of its writes, to show an error of the others. */
  const [sent, setSent] = useState<string>();
  const register = useVersion();
  const send = async (): Promise<string | undefined> => {
    if (code === undefined) return undefined;
    const cid = await cidOf(code);
    setSent(cid);
    const groupIds = groupId === null ? [] : [BigInt(groupId)];
    const version = { cid, ...labels, groupIds, actions, groups, code: isStored ? code : undefined };
    const shown = { title: t('Register the action'), done: t('The action was registered.') };
    return (await register(version, shown)) ? cid : undefined;
  };
  if (cid !== undefined && cid !== sent && actions.some((action) => action.cidHash === cidHash(cid)))
    return (
      <Text size="sm">
        {t('This code is registered. <link>Open the action</link>.', {
          link: (inner) => (
            <TextLink to="/actions/$cid" params={{ cid }} size="sm">
              {inner}
            </TextLink>
          ),
        })}
      </Text>
    );
  return (
    <Section title={t('Register this action')}>
      <Form
        label={t('Register the action')}
        send={send}
        onDone={(cid) => {
          onRegistered();
          void navigate({ to: '/actions/$cid', params: { cid } });
        }}
        isInline
        button={{ disabled: code === undefined }}
      >
        <LabelFields value={labels} onChange={setLabels} />
        <Select
          label={t('Group')}
          description={t('Usage keys of the group can run it.')}
          placeholder={t('No group')}
          data={groupOptions(groups)}
          value={groupId}
          onChange={setGroupId}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('Choose no group') }}
        />
        <StoreField value={isStored} onChange={setIsStored} />
      </Form>
    </Section>
  );
}

function StoreField({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }) {
  const isWallet = useSession().mode === 'chainSecured';
  return (
    <Checkbox
      label={t('Store the code')}
      description={
        <>
          {t(
            'The relayer keeps it sealed for this account, so that this page can show it again, and triggers can run it by its CID.',
          )}
          {isWallet && <> {t('Your wallet signs a message for it.')}</>}
        </>
      }
      {...check(value, onChange)}
    />
  );
}
