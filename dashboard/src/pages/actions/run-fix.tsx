/** The change that would let a refused run begin, as a button. */
import { cidOf } from '@latchkey/protocol';
import { type ActionSource, LatchkeyError, usageKeyHash } from '@latchkey/sdk';
import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { runsIn } from '../../access.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { ButtonLink } from '../../components/text-link.tsx';
import { t } from '../../i18n.ts';
import { type ListedGroup, nameOfGroup, toWord } from '../../names.ts';
import { useGroups, useUsageKeys } from '../../queries.ts';
import { useWrite } from '../../session/write.tsx';

const MAX_GROUPS = 3;

export function RunFix({
  error,
  refused,
}: {
  error: unknown;
  /** The run that was refused. */
  refused: { source: ActionSource; usageKey: string } | undefined;
}) {
  if (!(error instanceof LatchkeyError) || !refused) return null;
  if (error.status === 402) return <Pay usageKey={refused.usageKey} />;
  return error.status === 403 ? <Permit {...refused} /> : null;
}

/** The key of this account, if it is one. */
function useOwnKey(usageKey: string) {
  const hash = usageKeyHash(usageKey);
  return useUsageKeys().data?.find((key) => key.usageKeyHash === hash);
}

function Pay({ usageKey }: { usageKey: string }) {
  const key = useOwnKey(usageKey);
  return (
    <Group gap="xs">
      <ButtonLink to="/billing" size="xs">
        {t('Add credit')}
      </ButtonLink>
      {key && (
        <ButtonLink to="/keys/$hash" params={{ hash: toWord(key.usageKeyHash) }} size="xs" variant="default">
          {t('Open the caps of the key')}
        </ButtonLink>
      )}
    </Group>
  );
}

function Permit({ source, usageKey }: { source: ActionSource; usageKey: string }) {
  const write = useWrite();
  const key = useOwnKey(usageKey);
  const { data: groups = [] } = useGroups();
  const add = useMutation({
    mutationFn: (group: ListedGroup) =>
      write({
        title: t('Add to the group'),
        done: t('The group permits the action. Run it again.'),
        prepare: async (client) => {
          const cid = source.code === undefined ? source.cid : await cidOf(source.code);
          return client.prepare.addToGroup({ groupId: group.groupId, cids: [cid] });
        },
        refresh: ['groups', 'actions'],
      }),
  });
  if (!key) return null;
  const own = groups.filter((group) => runsIn(key, group));
  // A group with every action shows that the refusal has another reason.
  if (own.some(({ cidHashes }) => cidHashes.includes(0n))) return null;
  if (own.length === 0)
    return (
      <ButtonLink to="/keys/$hash" params={{ hash: toWord(key.usageKeyHash) }} size="xs" w="fit-content">
        {t('Give the key a group')}
      </ButtonLink>
    );
  return (
    <>
      <Group gap="xs">
        {own.slice(0, MAX_GROUPS).map((group) => (
          <Button
            key={String(group.groupId)}
            size="xs"
            maw={320}
            loading={add.isPending && add.variables === group}
            onClick={() => add.mutate(group)}
          >
            {t('Add this action to {group}', { group: nameOfGroup(group) })}
          </Button>
        ))}
      </Group>
      {add.error && <ErrorMessage error={add.error} />}
    </>
  );
}
