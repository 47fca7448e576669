import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';

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
  return (
    <Modal
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title="Leave the page?"
      closeOnClickOutside={false}
      zIndex={300}
    >
      <Stack>
        <Text size="sm">{children}</Text>
        <Group justify="end">
          <Button variant="default" onClick={() => proceed?.()}>
            Leave
          </Button>
          <Button onClick={() => reset?.()} data-autofocus>
            Stay
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
