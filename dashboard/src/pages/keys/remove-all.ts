import { useWrite } from '../../session/write.tsx';

export function useRemoveAllKeys() {
  const write = useWrite();
  return () =>
    write({
      title: 'Remove all usage keys',
      done: 'All usage keys were removed.',
      isDestructive: true,
      prepare: (client) => client.prepare.removeAllUsageApiKeys({}),
      refresh: ['keys'],
    });
}
