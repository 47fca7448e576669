import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { MoonIcon, SunIcon } from 'lucide-react';

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
        {scheme === 'dark' ? <SunIcon size={18} aria-hidden /> : <MoonIcon size={18} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}
