import { NumberInput } from '@mantine/core';
import { t } from '../../i18n.ts';

export function RunSeconds({
  value,
  onChange,
}: {
  value: number | undefined;
  onChange: (seconds: number | undefined) => void;
}) {
  return (
    <NumberInput
      label={t('Seconds per run')}
      description={t('A run that lasts longer is ended, and charged until then.')}
      value={value ?? ''}
      onChange={(seconds) => onChange(seconds === '' ? undefined : Number(seconds))}
      min={1}
      allowDecimal={false}
    />
  );
}
