/** A usage key, which is shown once, and its first request. */
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { TriangleAlertIcon } from 'lucide-react';
import { CodeBlock } from '../../components/section.tsx';
import { Unsaved } from '../../components/unsaved.tsx';
import { Copy, SecretText } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { type ListedGroup, toWord } from '../../names.ts';
import { useSessionState } from '../../session/session-context.tsx';
import type { CreatedKey } from './key-form.tsx';

export function NewKey({
  created,
  groups,
  onStored,
}: {
  created: CreatedKey;
  groups: ListedGroup[];
  onStored: () => void;
}) {
  const { config } = useSessionState();
  const { about, command } = firstRequest(config.relayerUrl, created, groups);
  return (
    <Modal
      opened
      onClose={onStored}
      title={t('Store the usage key now')}
      size="lg"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack>
        <Alert color="yellow" icon={<TriangleAlertIcon aria-hidden />}>
          {t('It is shown once and cannot be recovered. Anyone who has the key can use its permissions.')}
        </Alert>
        <SecretText value={created.usageKey} label={t('Usage key')} copy={t('Copy the usage key')} />
        <Unsaved isLost={() => true}>{t('This is the only copy of the usage key. Store it first.')}</Unsaved>
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{about}</Text>
          <Copy value={command} label={t('Copy the request')} />
        </Group>
        <CodeBlock label={t('First request')}>{command}</CodeBlock>
        <Button onClick={onStored} data-autofocus>
          {t('I have stored it')}
        </Button>
      </Stack>
    </Modal>
  );
}

/** A request that succeeds with the key: it runs an action where any may run, else it asks about a permitted one. */
function firstRequest(
  relayerUrl: string,
  { usageKey, executeInGroups }: CreatedKey,
  groups: readonly ListedGroup[],
): { about: string; command: string } {
  const base = `${relayerUrl.replace(/\/$/, '')}/core/v1`;
  const header = `-H 'X-Api-Key: ${usageKey}'`;
  const permitted = groups
    .filter(({ groupId }) => executeInGroups.includes(groupId))
    .flatMap(({ cidHashes }) => cidHashes);
  const [hash] = permitted;
  if (executeInGroups.includes(0n) || permitted.includes(0n))
    return {
      about: t('A first request: it runs an action and costs one cent.'),
      command: `curl -s ${base}/svc_action \\\n  ${header} -H 'Content-Type: application/json' \\\n  -d '{"code": "async function main({ name }) { return \`hello \${name}\` }", "js_params": {"name": "you"}}'`,
    };
  if (hash !== undefined)
    return {
      about: t(
        'A first request: may the key run the first action of its groups? Run actions with svc_action.',
      ),
      command: `curl -s '${base}/explain_execution?hashed_cid=${toWord(hash)}' \\\n  ${header}`,
    };
  return {
    about: t(
      'A first request: it lists the runs of the key. Add actions to its groups before it can run them.',
    ),
    command: `curl -s ${base}/list_runs \\\n  ${header}`,
  };
}
