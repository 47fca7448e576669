import { Stack, Text } from '@mantine/core';
import { ActionName, useKeyName } from '../../components/names.tsx';
import { t } from '../../i18n.ts';
import { RunPanel } from '../actions/run-panel.tsx';

/** Runs the action of a record again. Records have neither parameters nor keys. */
export function Replay({ cid, usageKeyHash }: { cid: string; usageKeyHash: bigint }) {
  const keyName = useKeyName()(usageKeyHash);
  return (
    <Stack>
      <Text size="sm" component="div">
        {t(
          'Runs {action} again, as a new run that costs credit. The effects of the first run stay. Records have no parameters and no keys: enter both.',
          { action: <ActionName cid={cid} /> },
        )}
        {keyName && <> {t('The first run used the key “{keyName}”.', { keyName })}</>}
      </Text>
      <RunPanel source={{ cid }} />
    </Stack>
  );
}
