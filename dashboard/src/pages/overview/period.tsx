/** The period that a page shows, which is in its URL. */
import { SegmentedControl } from '@mantine/core';
import { useUrlValues } from '../../components/url-values.ts';
import { t } from '../../i18n.ts';
import { type Period, periods } from './history.ts';

const isPeriod = (text: string): text is Period => Object.hasOwn(periods, text);

export function usePeriod(): [Period, (period: string) => void] {
  const [{ period }, change] = useUrlValues(['period']);
  return [isPeriod(period) ? period : 'day', (chosen) => change({ period: chosen })];
}

export function PeriodChoice({ value, onChange }: { value: Period; onChange: (period: string) => void }) {
  return (
    <SegmentedControl
      aria-label={t('Period')}
      value={value}
      onChange={onChange}
      data={Object.entries(periods).map(([period, { label }]) => ({ value: period, label }))}
    />
  );
}
