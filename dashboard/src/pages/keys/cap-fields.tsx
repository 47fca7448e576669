import { NumberInput, Select, Stack } from '@mantine/core';
import { t } from '../../i18n.ts';
import { type Caps, windowOptions } from './permissions.ts';
import { RunSeconds } from './run-seconds.tsx';

const toNumber = (value: number | string): number | undefined => (value === '' ? undefined : Number(value));

export function CapFields({ value, onChange }: { value: Caps; onChange: (caps: Caps) => void }) {
  const { spendCapCents, spendWindowSeconds, maxRunsPerMinute, maxConcurrency, maxRunSeconds } = value;
  const seconds = spendWindowSeconds === undefined ? null : String(spendWindowSeconds);
  return (
    <Stack gap="sm">
      <NumberInput
        label={t('Spending, in US dollars')}
        description={t(
          'A run that would exceed it is refused (402) until the next window begins. Empty: no limit.',
        )}
        value={spendCapCents === undefined ? '' : spendCapCents / 100}
        onChange={(dollars) => {
          const amount = toNumber(dollars);
          onChange({ ...value, spendCapCents: amount === undefined ? undefined : Math.round(amount * 100) });
        }}
        min={0.01}
        decimalScale={2}
        prefix="$"
        thousandSeparator=","
      />
      <Select
        label={t('Window of the spending')}
        description={t('A window begins with the first spending after the previous window ended.')}
        data={windowOptions(spendWindowSeconds)}
        placeholder={t('in total')}
        value={seconds}
        onChange={(window) =>
          onChange({ ...value, spendWindowSeconds: window === null ? undefined : Number(window) })
        }
        disabled={spendCapCents === undefined}
        clearable
        clearButtonProps={{ 'aria-label': t('Limit the spending in total') }}
      />
      <NumberInput
        label={t('Runs per minute')}
        description={t('More runs that begin in any 60 seconds are refused (429).')}
        value={maxRunsPerMinute ?? ''}
        onChange={(count) => onChange({ ...value, maxRunsPerMinute: toNumber(count) })}
        min={1}
        allowDecimal={false}
      />
      <NumberInput
        label={t('Concurrent runs')}
        description={t('More runs than this are refused (429) until one ends.')}
        value={maxConcurrency ?? ''}
        onChange={(count) => onChange({ ...value, maxConcurrency: toNumber(count) })}
        min={1}
        allowDecimal={false}
      />
      <RunSeconds
        value={maxRunSeconds}
        onChange={(seconds) => onChange({ ...value, maxRunSeconds: seconds })}
      />
    </Stack>
  );
}
