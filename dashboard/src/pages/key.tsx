/** One usage key: its permissions and caps, and its changes. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { CreditAccess } from '../components/credit-access.tsx';
import { ConfirmButton, DialogButton, RemoveButton } from '../components/dialog.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { changes, Form } from '../components/form.tsx';
import { LoadedAll, Names } from '../components/lists.tsx';
import { GroupLinks } from '../components/names.tsx';
import { Missing, Page } from '../components/page.tsx';
import { Facts, Section } from '../components/section.tsx';
import { Identifier } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { type ListedGroup, type ListedUsageKey, nameOfKey, namesOfGroups, toWord } from '../names.ts';
import { useGroups, useUsageKeys } from '../queries.ts';
import { useSession } from '../session/session-context.tsx';
import { useWrite } from '../session/write.tsx';
import { ExpiryField, fromDateField, toDateField } from './keys/expiry-field.tsx';
import { KeyForm } from './keys/key-form.tsx';
import { LastUse } from './keys/last-use.tsx';
import { describeCaps, describeExpiry } from './keys/permissions.ts';
import { Rotate } from './keys/rotate.tsx';
import { KeyHistory, NewestRuns, Spend } from './keys/runs.tsx';
import { TriggersOfKey } from './keys/triggers.tsx';

export default function OneKey() {
  const { hash } = useParams({ from: '/keys/$hash' });
  return (
    <LoadedAll queries={{ keys: useUsageKeys(), groups: useGroups() }}>
      {({ keys, groups }) => {
        const key = keys.find(({ usageKeyHash }) => toWord(usageKeyHash) === hash.toLowerCase());
        return key ? (
          <Details key={hash} usageKey={key} groups={groups} />
        ) : (
          <Missing
            title={t('There is no such usage key')}
            why={t('It may have been removed or rotated.')}
            to="/keys"
          />
        );
      }}
    </LoadedAll>
  );
}

function Details({ usageKey, groups }: { usageKey: ListedUsageKey; groups: ListedGroup[] }) {
  const { mode } = useSession();
  const [isUseShown, setIsUseShown] = useState(mode === 'api');
  const { usageKeyHash, description, expiration } = usageKey;
  return (
    <Page
      title={nameOfKey(usageKey)}
      about={
        <>
          {description && `${description} `}
          {t('Hash {id}', {
            id: <Identifier value={toWord(usageKeyHash)} label={t('Copy the hash of the key')} />,
          })}
        </>
      }
      action={<Buttons usageKey={usageKey} />}
    >
      <Facts
        label={t('Permissions of the key')}
        facts={{
          [t('Runs the actions of')]: <GroupLinks ids={usageKey.executeInGroups} groups={groups} />,
          [t('Other permissions')]: <Names names={otherPermissions(usageKey, groups)} none={t('None')} />,
          [t('Spent on runs')]: mode === 'api' && <Spend usageKey={usageKey} />,
          [t('Caps')]: mode === 'api' && <Names names={describeCaps(usageKey)} none={t('No caps')} />,
          [t('Expires')]: describeExpiry(expiration),
          [t('Last use')]: (
            <LastUse hash={usageKeyHash} isShown={isUseShown} onShow={() => setIsUseShown(true)} />
          ),
        }}
      />
      <Section title={t('Runs')}>
        <CreditAccess>
          <Stack gap="xl">
            <KeyHistory usageKeyHash={usageKeyHash} />
            <NewestRuns usageKeyHash={usageKeyHash} />
          </Stack>
        </CreditAccess>
      </Section>
      <Section title={t('Triggers')} about={t('They run their actions with this key.')}>
        <TriggersOfKey usageKeyHash={usageKeyHash} />
      </Section>
      <Recording usageKey={usageKey} />
    </Page>
  );
}

function Buttons({ usageKey }: { usageKey: ListedUsageKey }) {
  const navigate = useNavigate();
  return (
    <Group gap="xs">
      <DialogButton label={t('Edit')} title={t('Edit the usage key')}>
        {(close) => <KeyForm before={usageKey} onDone={close} />}
      </DialogButton>
      <DialogButton label={t('Set the expiry')}>
        {(close) => <SetExpiry usageKey={usageKey} onDone={close} />}
      </DialogButton>
      <DialogButton label={t('Rotate')} title={t('Rotate the usage key')} modal={{ size: 'lg' }}>
        {() => (
          <Rotate
            usageKey={usageKey}
            onDone={(hash) => void navigate({ to: '/keys/$hash', params: { hash } })}
          />
        )}
      </DialogButton>
      <RemoveButton
        title={t('Remove the usage key')}
        done={t('The usage key was removed.')}
        to="/keys"
        prepare={(client) => client.prepare.removeUsageApiKey({ usageKey: usageKey.usageKeyHash })}
        refresh={['keys']}
      />
    </Group>
  );
}

function otherPermissions(key: ListedUsageKey, groups: ListedGroup[]): string[] {
  const inGroups = (what: string, ids: bigint[]) =>
    namesOfGroups(ids, groups).map((name) => `${what}: ${name}`);
  return [
    ...(key.canCreateGroups ? [t('Create groups')] : []),
    ...(key.canDeleteGroups ? [t('Delete groups')] : []),
    ...(key.canCreatePkps ? [t('Create wallets')] : []),
    ...inGroups(t('Change actions'), key.manageIpfsIdsInGroups),
    ...inGroups(t('Add wallets'), key.addPkpToGroups),
    ...inGroups(t('Remove wallets'), key.removePkpFromGroups),
  ];
}

function SetExpiry({ usageKey, onDone }: { usageKey: ListedUsageKey; onDone: () => void }) {
  const write = useWrite();
  const { usageKeyHash, expiration: before } = usageKey;
  const [date, setDate] = useState(toDateField(before));
  const send = () => {
    const expiration = fromDateField(date, before);
    return write({
      title: t('Set the expiry'),
      done: t('The expiry was set.'),
      prepare: (client) => client.prepare.setUsageApiKeyExpiration({ usageKey: usageKeyHash, expiration }),
      compare: changes(
        { [t('Expires')]: describeExpiry(before) },
        { [t('Expires')]: describeExpiry(expiration) },
      ),
      refresh: ['keys'],
    });
  };
  return (
    <Form label={t('Set the expiry')} send={send} onDone={onDone}>
      <ExpiryField value={date} onChange={setDate} />
    </Form>
  );
}

/** Shows and changes whether the records of the key's runs have output. The list of a ChainSecured account's keys does not say it. */
function Recording({ usageKey: { usageKeyHash, recordOutput } }: { usageKey: ListedUsageKey }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: (recorded: boolean) =>
      client.setUsageApiKeyRecording({ usageKey: usageKeyHash, recordOutput: recorded }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  const isKnown = recordOutput !== undefined;
  const isOn = recordOutput ?? (set.isSuccess ? set.variables : undefined);
  return (
    <Section title={t('Recorded output')} align="start">
      <Text size="sm" role="status">
        {isOn === undefined && t('Your wallet’s list of keys does not say whether it is on.')}
        {isOn === true && t('On: the records of its runs have their output.')}
        {isOn === false && t('Off: the records of its runs have no output.')}{' '}
        {t(
          'While it is on, the response, the logs and the error of each run are stored, sealed, and shown to you under Runs. Parameters are never stored. Output is deleted with the record of the run.',
        )}
      </Text>
      {set.error && set.variables && <ErrorMessage error={set.error} />}
      <Group gap="xs">
        {isOn !== true && (
          <Button variant="default" onClick={() => set.mutate(true)} loading={set.isPending && set.variables}>
            {t('Record the output')}
          </Button>
        )}
        {(isOn !== false || !isKnown) && (
          <ConfirmButton
            label={t('Stop and delete recorded output')}
            confirm={t('Delete the recorded output')}
            send={() => set.mutateAsync(false)}
          >
            {t(
              'The output that was recorded for runs of this key is deleted and cannot be recovered. Records of runs stay.',
            )}
          </ConfirmButton>
        )}
      </Group>
    </Section>
  );
}
