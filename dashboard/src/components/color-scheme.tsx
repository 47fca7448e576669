import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { MoonIcon, SunIcon } from 'lucide-react';
import { t } from '../i18n.ts';

export function ColorScheme() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <Tooltip label={t('Use the {other, select, dark {dark} other {light}} colours', { other })}>
      <ActionIcon
        variant="subtle"
        color="gray"
        onClick={() => setColorScheme(other)}
        aria-label={t('Use the {other, select, dark {dark} other {light}} colours', { other })}
      >
        {scheme === 'dark' ? <SunIcon size={18} aria-hidden /> : <MoonIcon size={18} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}
