import { Button, Text } from '@mantine/core';
import { Time } from '../../components/values.tsx';
import { useLastRun } from '../../queries.ts';

/** When the newest run of the key began. A wallet must sign to read runs, so its user asks for it. */
export function LastUse({ hash, isShown, onShow }: { hash: bigint; isShown: boolean; onShow: () => void }) {
  const { data, error, refetch } = useLastRun(hash, isShown);
  if (!isShown)
    return (
      <Button size="compact-xs" variant="default" onClick={onShow}>
        Sign to show it
      </Button>
    );
  if (error)
    return (
      <Button size="compact-xs" variant="default" onClick={() => void refetch()}>
        Not loaded: try again
      </Button>
    );
  if (data === undefined) return <Text size="sm">…</Text>;
  return data ? <Time value={data.startedAt} /> : <Text size="sm">No run</Text>;
}
