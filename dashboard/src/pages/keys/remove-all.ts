import { useUsageKeys } from '../../queries.ts';
import { useWrite } from '../../session/write.tsx';

export function useRemoveAllKeys() {
  const write = useWrite();
  const { data: keys = [] } = useUsageKeys();
  return () =>
    write({
      title: 'Remove all usage keys',
      done: 'All usage keys were removed.',
      isDestructive: true,
      word: 'remove',
      compare: [{ label: 'Usage keys', before: String(keys.length), after: 'None' }],
      prepare: (client) => client.prepare.removeAllUsageApiKeys({}),
      refresh: ['keys'],
    });
}
