import { Button, Group } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { RefreshCwIcon } from 'lucide-react';
import { t } from '../i18n.ts';
import { ErrorMessage } from './error-message.tsx';
import { LoadMore } from './lists.tsx';

/** Below a list that is loaded in pages, newest first: the next page, and the list again. */
export function ListEnd({ query }: { query: UseInfiniteQueryResult }) {
  return (
    <>
      {query.isFetchNextPageError && <ErrorMessage error={query.error} />}
      <Group justify="center">
        <LoadMore query={query} />
        <Button
          variant="subtle"
          leftSection={<RefreshCwIcon size={16} aria-hidden />}
          onClick={() => void query.refetch()}
        >
          {t('Refresh')}
        </Button>
      </Group>
    </>
  );
}
