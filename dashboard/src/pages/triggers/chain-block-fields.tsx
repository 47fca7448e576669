/** The fields of blocks, base fees and balances. */
import { NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { text } from '../../components/form.tsx';
import { t } from '../../i18n.ts';
import { Chain, Confirmations } from './chain-fields.tsx';
import type { FieldsProps } from './fields-props.ts';

type Threshold = { above?: string; below?: string };
type Balance = Threshold & { address: string; token?: string | null; every?: number };
type ThresholdProps<Of extends Threshold> = { value: Of; unit: string; onChange: (value: Of) => void };

/** A direction and an amount. */
function ThresholdFields<Of extends Threshold>({ value, unit, onChange }: ThresholdProps<Of>) {
  const { above, below, ...others } = value;
  const set = (direction: string, amount: string) => onChange({ ...others, [direction]: amount } as Of);
  const direction = above === undefined ? 'below' : 'above';
  const amount = above ?? below ?? '';
  return (
    <>
      <NativeSelect
        label={t('Fires when it becomes')}
        data={[
          { value: 'below', label: t('Lower than') },
          { value: 'above', label: t('Higher than') },
        ]}
        {...text(direction, (changed) => set(changed, amount))}
      />
      <TextInput
        label={unit}
        inputMode="numeric"
        ff="monospace"
        required
        {...text(amount, (changed) => set(direction, changed.trim()))}
      />
    </>
  );
}

type BalanceProps = { value: Balance; onChange: (value: Balance) => void };

function BalanceFields({ value, onChange }: BalanceProps) {
  const { token, ...others } = value;
  return (
    <>
      <TextInput
        label={t('Account')}
        ff="monospace"
        required
        {...text(value.address, (address) => onChange({ ...value, address: address.trim() }))}
      />
      <TextInput
        label={t('Token')}
        description={t('Address of its contract. Empty: the coin of the chain.')}
        ff="monospace"
        {...text(token ?? '', (changed) =>
          onChange(changed.trim() === '' ? others : { ...others, token: changed.trim() }),
        )}
      />
      <ThresholdFields
        value={value}
        unit={t('Balance in the smallest unit, for the coin wei')}
        onChange={onChange}
      />
      <Interval
        label={t('Blocks between two reads')}
        value={value.every ?? 10}
        max={1_000}
        onChange={(every) => onChange({ ...value, every })}
      />
    </>
  );
}

type IntervalProps = { label: string; value: number; max: number; onChange: (value: number) => void };

const Interval = ({ label, value, max, onChange }: IntervalProps) => (
  <NumberInput
    label={label}
    min={1}
    max={max}
    allowDecimal={false}
    required
    value={value}
    onChange={(changed) => onChange(Number(changed))}
  />
);

const conditions = {
  every: { label: t('Every so many blocks'), value: 300 },
  base_fee: { label: t('The base fee'), value: { below: '' } },
  balance: { label: t('A balance'), value: { address: '', below: '' } },
};
type Condition = keyof typeof conditions;
const names = Object.keys(conditions) as Condition[];

export function ChainBlockFields({ config, onChange }: FieldsProps) {
  const {
    every,
    base_fee: fee,
    balance,
    ...others
  } = config as {
    every?: number;
    base_fee?: Threshold;
    balance?: Balance;
  };
  const used = names.find((name) => name in config) ?? 'every';
  return (
    <>
      <Chain config={config} onChange={onChange} />
      <NativeSelect
        label={t('Fires by')}
        data={names.map((name) => ({ value: name, label: conditions[name].label }))}
        {...text(used, (name) => onChange({ ...others, [name]: conditions[name as Condition].value }))}
      />
      {every !== undefined && (
        <Interval
          label={t('Blocks between two runs')}
          value={every}
          max={10_000_000}
          onChange={(changed) => onChange({ ...others, every: changed })}
        />
      )}
      {fee && (
        <ThresholdFields
          value={fee}
          unit={t('Base fee in wei')}
          onChange={(changed) => onChange({ ...others, base_fee: changed })}
        />
      )}
      {balance && (
        <BalanceFields value={balance} onChange={(changed) => onChange({ ...others, balance: changed })} />
      )}
      <Confirmations config={config} onChange={onChange} />
    </>
  );
}
