/** The fields of both kinds that follow a chain. */
import { NativeSelect, NumberInput } from '@mantine/core';
import { text } from '../../components/form.tsx';
import { t } from '../../i18n.ts';
import type { FieldsProps } from './fields-props.ts';

type ConfigProps = Pick<FieldsProps, 'config' | 'onChange'>;

/** Chains of the form. The configuration as JSON takes the id of any chain for which the operator has set a node. */
const chains = [
  { value: 'service', label: t('The chain of this service') },
  { value: 'ethereum', label: t('Ethereum') },
  { value: 'base', label: t('Base') },
  { value: 'arbitrum', label: t('Arbitrum') },
  { value: 'bsc', label: t('BNB Smart Chain') },
  { value: 'polygon', label: t('Polygon') },
];

export function Chain({ config, onChange }: ConfigProps) {
  return (
    <NativeSelect
      label={t('Chain')}
      data={chains}
      {...text(String(config.chain ?? ''), (chain) => onChange({ ...config, chain }))}
    />
  );
}

export function Confirmations({ config, onChange }: ConfigProps) {
  return (
    <NumberInput
      label={t('Confirmations')}
      description={t('Blocks on top before it fires. A reorg that is not deeper drops it.')}
      min={0}
      max={128}
      allowDecimal={false}
      value={(config.confirmations as number | undefined) ?? ''}
      onChange={(value) => {
        const { confirmations: _, ...others } = config;
        onChange(typeof value === 'number' ? { ...others, confirmations: value } : others);
      }}
    />
  );
}
