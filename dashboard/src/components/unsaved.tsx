import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { t } from '../i18n.ts';

/** Losses of the open page: whether there is one, and what the user is told. A sign-out asks for them. */
const losses = new Map<() => boolean, string>();

/** Returns what the user is told before something is lost, or undefined when nothing would be. */
export const findLoss = (): string | undefined => [...losses].find(([isLost]) => isLost())?.[1];

/**
 * Asks before the page is left, by a link, by Back or by a reload, while something would be lost. `isLost` is called then: it can
 * read a ref, so that the page can leave immediately after it has saved.
 */
export function Unsaved({ isLost, children }: { isLost: () => boolean; children: string }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isLost(),
    enableBeforeUnload: isLost,
    withResolver: true,
  });
  useEffect(() => {
    losses.set(isLost, children);
    return () => void losses.delete(isLost);
  }, [isLost, children]);
  return (
    <Leave isOpen={status === 'blocked'} onLeave={() => proceed?.()} onStay={() => reset?.()}>
      {children}
    </Leave>
  );
}

/** Returns the function that ends the session by `onLeave`, and asks first when something would be lost, and the dialog that asks. */
export function useAskedLeave(onLeave: () => void): [() => void, ReactNode] {
  const [loss, setLoss] = useState<string>();
  const leave = (): void => {
    setLoss(undefined);
    onLeave();
  };
  const ask = (): void => {
    const found = findLoss();
    if (found === undefined) leave();
    else setLoss(found);
  };
  const dialog = (
    <Leave isOpen={loss !== undefined} onLeave={leave} onStay={() => setLoss(undefined)}>
      {loss}
    </Leave>
  );
  return [ask, dialog];
}

/** Asks whether to lose something. */
function Leave({
  isOpen,
  onLeave,
  onStay,
  children,
}: {
  isOpen: boolean;
  onLeave: () => void;
  onStay: () => void;
  children: ReactNode;
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={onStay}
      title={t('Leave the page?')}
      closeOnClickOutside={false}
      zIndex={300}
    >
      <Stack>
        <Text size="sm">{children}</Text>
        <Group justify="end">
          <Button variant="default" onClick={onLeave}>
            {t('Leave')}
          </Button>
          <Button onClick={onStay} data-autofocus>
            {t('Stay')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
