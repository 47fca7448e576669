import { Button } from '@mantine/core';

/** A button in place of a value that is not loaded yet. */
export function SmallButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Button size="compact-xs" variant="default" onClick={onClick}>
      {children}
    </Button>
  );
}
