/** When the newest run of a key began. A wallet must sign to read runs, so its user asks for it. */
import type { RunRecord } from '@latchkey/sdk';
import { Text } from '@mantine/core';
import { useState } from 'react';
import { SmallButton } from '../../components/small-button.tsx';
import { Time } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { useLastRun, type useLastRuns } from '../../queries.ts';

type Asked = { isShown: boolean; onShow: () => void };

export function LastUse({ hash, isShown, onShow }: Asked & { hash: bigint }) {
  const { data, error, refetch } = useLastRun(hash, isShown);
  return <Shown run={data} error={error} isShown={isShown} onShow={onShow} onRetry={() => void refetch()} />;
}

/** In a list: from the newest runs of all keys. A key that none of them has is read when the user asks. */
export function ListedLastUse({
  hash,
  runs: { data, error, refetch },
  isShown,
  onShow,
}: Asked & { hash: bigint; runs: ReturnType<typeof useLastRuns> }) {
  const [isAsked, setIsAsked] = useState(false);
  const run = data?.byKey.get(hash);
  if (data && !run && !data.isWhole)
    return <LastUse hash={hash} isShown={isAsked} onShow={() => setIsAsked(true)} />;
  return (
    <Shown
      run={data && (run ?? null)}
      error={error}
      isShown={isShown}
      onShow={onShow}
      onRetry={() => void refetch()}
    />
  );
}

function Shown({
  run,
  error,
  isShown,
  onShow,
  onRetry,
}: Asked & { run: RunRecord | null | undefined; error: Error | null; onRetry: () => void }) {
  if (!isShown) return <SmallButton onClick={onShow}>{t('Show it')}</SmallButton>;
  if (error) return <SmallButton onClick={onRetry}>{t('Not loaded: try again')}</SmallButton>;
  if (run === undefined) return <Text size="sm">…</Text>;
  return run ? <Time value={run.startedAt} /> : <Text size="sm">{t('No run')}</Text>;
}
