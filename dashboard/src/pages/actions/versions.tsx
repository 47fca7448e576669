/** The versions of an action, and what differs between two of them. */
import { Group, Loader, Text, VisuallyHidden } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { ConfirmButton, DialogButton } from '../../components/dialog.tsx';
import { DataTable, LoadedAll, Names, nameCell, WithNote } from '../../components/lists.tsx';
import { Dimmed, Section } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { short, Time } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { type ListedAction, type ListedGroup, nameOfGroup, toWord } from '../../names.ts';
import { useStoredCodes } from '../../queries.ts';
import { useSession } from '../../session/session-context.tsx';
import { useStoredCode } from './stored-code.ts';
import { usePolicy } from './use-policy.ts';
import { type Version, versionsOf } from './version-list.ts';

const CodeDiff = lazy(() => import('./code-diff.tsx'));

type Lists = { actions: ListedAction[]; groups: ListedGroup[] };

/** Nothing is shown before the stored codes are known: the page asks for the signature of a wallet elsewhere. */
export function Versions({ hash, actions, groups }: Lists & { hash: bigint }) {
  const { data: codes } = useStoredCodes();
  const versions = versionsOf(codes ?? [], hash);
  if (versions.length === 1) return null;
  return (
    <Section title={t('Versions')} about={t('Versions that replaced each other, newest first.')}>
      <VersionTable versions={versions} hash={hash} actions={actions} groups={groups} />
    </Section>
  );
}

function VersionTable({ versions, hash, actions, groups }: Lists & { versions: Version[]; hash: bigint }) {
  const current = versions.find((version) => version.hash === hash);
  const isBefore = (version: Version): boolean =>
    current !== undefined && versions.indexOf(version) > versions.indexOf(current);
  return (
    <DataTable
      label={t('Versions')}
      items={versions}
      isPaged
      rowKey={(version) => String(version.hash)}
      minWidth={620}
      columns={[
        {
          title: t('Version'),
          props: nameCell,
          cell: (version) => <Name version={version} isShown={version === current} actions={actions} />,
        },
        {
          title: t('Stored'),
          cell: ({ code }) =>
            code ? <Time value={code.storedAt} /> : <Dimmed>{t('The code is not stored')}</Dimmed>,
        },
        {
          title: t('Groups'),
          cell: (version) => (
            <Names
              names={groups.filter(({ cidHashes }) => cidHashes.includes(version.hash)).map(nameOfGroup)}
              none={t('No group')}
            />
          ),
        },
        {
          title: <VisuallyHidden>{t('Changes')}</VisuallyHidden>,
          ta: 'right',
          cell: (version) =>
            version.code && (
              <Group justify="end" gap={4} wrap="nowrap">
                {current?.code && version !== current && (
                  <CompareButton
                    label={t('Compare')}
                    about={t('Compare with {cid}', { cid: short(version.code.cid) })}
                    from={(isBefore(version) ? version : current).code?.cid ?? ''}
                    to={(isBefore(version) ? current : version).code?.cid ?? ''}
                  />
                )}
                <DeleteCode cid={version.code.cid} />
              </Group>
            ),
        },
      ]}
    />
  );
}

function Name({
  version: { hash, code },
  isShown,
  actions,
}: {
  version: Version;
  isShown: boolean;
  actions: ListedAction[];
}) {
  const id = code?.cid ?? toWord(hash);
  const isRegistered = actions.some(({ cidHash }) => cidHash === hash);
  return (
    <WithNote note={isShown ? t('This version') : !isRegistered && t('Not registered')}>
      {isRegistered && !isShown ? (
        <TextLink to="/actions/$cid" params={{ cid: id }} ff="monospace" size="sm" title={id}>
          {short(id)}
        </TextLink>
      ) : (
        <Text span ff="monospace" size="sm" title={id}>
          {short(id)}
        </Text>
      )}
    </WithNote>
  );
}

function CompareButton({
  label,
  about,
  from,
  to,
}: {
  label: string;
  about: string;
  from: string;
  to: string;
}) {
  const title = t('Changes from {from} to {to}', { from: short(from), to: short(to) });
  return (
    <DialogButton
      label={label}
      title={title}
      aria-label={about}
      modal={{ size: 'xl' }}
      size="xs"
      variant="subtle"
    >
      {() => <Compare from={from} to={to} />}
    </DialogButton>
  );
}

function Compare({ from, to }: { from: string; to: string }) {
  const queries = { before: useStoredCode(from), after: useStoredCode(to) };
  return <LoadedAll queries={queries}>{(codes) => <Changes {...codes} />}</LoadedAll>;
}

/** The changes between two texts of code: of two policies, those of their JSON. */
export function Changes({ before, after }: { before: string; after: string }) {
  const policies = { before: usePolicy(before), after: usePolicy(after) };
  if (before === after) return <Text size="sm">{t('Nothing differs.')}</Text>;
  const loading = <Loader aria-label={t('Loading the changes')} />;
  if (policies.before === undefined || policies.after === undefined) return loading;
  const texts =
    policies.before && policies.after
      ? { before: policies.before.text, after: policies.after.text }
      : { before, after };
  return (
    <Suspense fallback={loading}>
      <CodeDiff {...texts} />
    </Suspense>
  );
}

function DeleteCode({ cid }: { cid: string }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const send = async (): Promise<void> => {
    await client.deleteActionCode({ cid });
    queries.setQueryData(['codes'], await client.listActionCodes());
  };
  return (
    <ConfirmButton
      label={t('Delete the code')}
      aria-label={t('Delete the code of {cid}', { cid: short(cid) })}
      title={t('Delete the stored code')}
      confirm={t('Delete the code')}
      send={send}
      size="xs"
      variant="subtle"
    >
      {t(
        'The relayer deletes the code. The action stays registered. Triggers that run it by its CID fail, unless the relayer keeps it after a run.',
      )}
    </ConfirmButton>
  );
}
