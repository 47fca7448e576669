/** Opens the search, also by the keyboard. It is loaded when it is opened. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { SearchIcon } from 'lucide-react';
import { type ComponentType, useState } from 'react';
import { t } from '../i18n.ts';
import type { LinkedPage } from './entries.ts';

type DialogProps = { pages: readonly LinkedPage[]; isOpen: boolean; onClose: () => void };

export function SearchButton({ pages }: { pages: readonly LinkedPage[] }) {
  const [Dialog, setDialog] = useState<ComponentType<DialogProps>>();
  const [isOpen, { open, close }] = useDisclosure(false);
  const show = async (): Promise<void> => {
    try {
      const { SearchDialog } = await import('./search-dialog.tsx');
      setDialog(() => SearchDialog);
      open();
    } catch {
      notifications.show({ message: t('The search was not loaded. Try again.'), color: 'red' });
    }
  };
  // Also in fields and in the editor.
  useHotkeys([['mod+K', () => void show()]], [], true);
  return (
    <>
      <Tooltip label={t('Search (Ctrl+K)')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={() => void show()}
          aria-label={t('Search')}
          aria-keyshortcuts="Control+K Meta+K"
        >
          <SearchIcon size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {Dialog && <Dialog pages={pages} isOpen={isOpen} onClose={close} />}
    </>
  );
}
