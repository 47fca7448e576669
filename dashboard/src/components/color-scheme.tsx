import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';

/** The button that switches between the light and the dark colours. */
export function ColorScheme() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <Tooltip label={`Use the ${other} colours`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        onClick={() => setColorScheme(other)}
        aria-label={`Use the ${other} colours`}
      >
        {scheme === 'dark' ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}
