/** Buttons that open a dialog. */
import { Button, type ButtonProps, Group, Modal, type ModalProps, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { t } from '../i18n.ts';
import { useWrite } from '../session/write.tsx';
import type { Write } from '../session/write-stage.ts';
import { ErrorMessage } from './error-message.tsx';

type Opener = Omit<ButtonProps, 'children'> & { label: string; 'aria-label'?: string; title?: string };

export function DialogButton({
  label,
  title = label,
  modal,
  children,
  ...button
}: Opener & { modal?: Partial<ModalProps>; children: (close: () => void) => ReactNode }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open} {...button}>
        {label}
      </Button>
      <Modal closeOnClickOutside={false} {...modal} opened={isOpen} onClose={close} title={title}>
        {children(close)}
      </Modal>
    </>
  );
}

type Asked = { confirm: string; send: () => Promise<unknown>; children: ReactNode };

/** A button that asks before it sends something. */
export function ConfirmButton({ confirm, send, children, ...opener }: Opener & Asked) {
  return (
    <DialogButton color="red" {...opener}>
      {(close) => (
        <Confirm confirm={confirm} send={send} onClose={close}>
          {children}
        </Confirm>
      )}
    </DialogButton>
  );
}

function Confirm({ confirm, send, onClose, children }: Asked & { onClose: () => void }) {
  const sending = useMutation({ mutationFn: send, onSuccess: onClose });
  return (
    <Stack>
      <Text size="sm">{children}</Text>
      {sending.error && <ErrorMessage error={sending.error} />}
      <Group justify="end">
        <Button variant="default" onClick={onClose}>
          {t('Cancel')}
        </Button>
        <Button color="red" onClick={() => sending.mutate()} loading={sending.isPending}>
          {confirm}
        </Button>
      </Group>
    </Stack>
  );
}

/** Removes the object that a page shows, then leaves the page. */
export function RemoveButton({
  to,
  ...write
}: { to: string } & Pick<Write<unknown>, 'title' | 'done' | 'prepare' | 'refresh'>) {
  const send = useWrite();
  const navigate = useNavigate();
  const remove = async (): Promise<void> => {
    if (await send({ isDestructive: true, ...write })) await navigate({ to });
  };
  return (
    <Button variant="outline" color="red" onClick={() => void remove()}>
      {write.title}
    </Button>
  );
}
