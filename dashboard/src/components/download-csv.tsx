import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { DownloadIcon } from 'lucide-react';
import { t } from '../i18n.ts';
import { download } from './download.ts';
import { ErrorMessage } from './error-message.tsx';

/** A button that reads a whole list and saves it as a file. */
export function DownloadCsv({ name, read }: { name: string; read: () => Promise<string> }) {
  const save = useMutation({ mutationFn: async () => download(name, 'text/csv', await read()) });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<DownloadIcon size={16} aria-hidden />}
        onClick={() => save.mutate()}
        loading={save.isPending}
      >
        {t('Download as CSV')}
      </Button>
      {save.error && <ErrorMessage error={save.error} />}
    </>
  );
}
