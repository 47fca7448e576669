import { t } from '../../i18n.ts';
import { useUsageKeys } from '../../queries.ts';
import { useWrite } from '../../session/write.tsx';

export function useRemoveAllKeys() {
  const write = useWrite();
  const { data: keys = [] } = useUsageKeys();
  return () =>
    write({
      title: t('Remove all usage keys'),
      done: t('All usage keys were removed.'),
      isDestructive: true,
      word: 'remove',
      compare: [{ label: t('Usage keys'), before: String(keys.length), after: t('None') }],
      prepare: (client) => client.prepare.removeAllUsageApiKeys({}),
      refresh: ['keys'],
    });
}
