/** Bars over time. Loaded only when they are shown: the chart library is large. */
import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';

export type Bars = {
  data: { label: string; [series: string]: number | string }[];
  series: { name: string; label: string; color: string }[];
  /** Whether the series of a step are one bar, or beside each other. */
  type?: 'stacked' | 'default';
  format?: (value: number) => string;
};

export default function Chart({ data, series, type = 'stacked', format = String }: Bars) {
  return (
    <BarChart
      h={220}
      data={data}
      dataKey="label"
      series={series}
      type={type}
      valueFormatter={format}
      withLegend={series.length > 1}
      gridAxis="x"
      tickLine="none"
      maxBarWidth={28}
      yAxisProps={{ allowDecimals: series.length === 1, width: 68 }}
      // The figure around it has a text and a table for screen readers.
      barChartProps={{ accessibilityLayer: false }}
    />
  );
}
