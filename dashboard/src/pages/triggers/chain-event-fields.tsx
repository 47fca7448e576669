/** The fields of a chain event. */
import { NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { text } from '../../components/form.tsx';
import { t } from '../../i18n.ts';
import { Chain, Confirmations } from './chain-fields.tsx';
import type { FieldsProps } from './fields-props.ts';

/** The contracts of a chain event. Keeps what was typed, of which the configuration has only the addresses. */
function Contracts({ config, onChange }: Pick<FieldsProps, 'config' | 'onChange'>) {
  const {
    contract_address: one,
    contract_addresses: several = [one ?? ''],
    ...others
  } = config as {
    contract_address?: string;
    contract_addresses?: string[];
  };
  const [lines, setLines] = useState(several.join('\n'));
  return (
    <Textarea
      label={t('Contract addresses')}
      description={t('One per line, at most 50. An event of any of them fires the trigger.')}
      autosize
      maxRows={12}
      ff="monospace"
      spellCheck={false}
      required
      {...text(lines, (changed) => {
        setLines(changed);
        const [first = '', ...more] = changed.split(/[\s,]+/).filter((address) => address !== '');
        onChange(
          more.length === 0
            ? { ...others, contract_address: first }
            : { ...others, contract_addresses: [first, ...more] },
        );
      })}
    />
  );
}

type Factory = { address: string; event: string; parameter: string; start_block?: number };

function FactoryFields({ config, onChange }: Pick<FieldsProps, 'config' | 'onChange'>) {
  const { factory } = config as { factory: Factory };
  const set = (changed: Partial<Factory>) => onChange({ ...config, factory: { ...factory, ...changed } });
  return (
    <>
      <TextInput
        label={t('Address of the factory')}
        required
        ff="monospace"
        {...text(factory.address, (address) => set({ address }))}
      />
      <TextInput
        label={t('Event of the factory')}
        description={t('For example PoolCreated(address indexed token, address pool).')}
        required
        ff="monospace"
        {...text(factory.event, (event) => set({ event }))}
      />
      <TextInput
        label={t('Argument with the new contract')}
        description={t('Its name in the event, for example pool, or its position, for example arg1.')}
        required
        ff="monospace"
        {...text(factory.parameter, (parameter) => set({ parameter }))}
      />
      <NumberInput
        label={t('First block of the factory')}
        description={t(
          'Contracts that the factory has made since this block are followed. Empty: new ones only.',
        )}
        min={0}
        allowDecimal={false}
        value={factory.start_block ?? ''}
        onChange={(value) => {
          const { start_block: _, ...others } = factory;
          onChange({
            ...config,
            factory: typeof value === 'number' ? { ...others, start_block: value } : others,
          });
        }}
      />
    </>
  );
}

const emptyFactory: Factory = { address: '', event: '', parameter: '' };

/** Contracts that are listed, or those of a factory. */
function Emitters(props: Pick<FieldsProps, 'config' | 'onChange'>) {
  const { contract_address: _one, contract_addresses: _several, factory, ...others } = props.config;
  return (
    <>
      <NativeSelect
        label={t('Contracts')}
        data={[
          { value: 'listed', label: t('These contracts') },
          { value: 'factory', label: t('All contracts that a factory makes') },
        ]}
        {...text(factory ? 'factory' : 'listed', (of) =>
          props.onChange({
            ...others,
            ...(of === 'factory' ? { factory: emptyFactory } : { contract_address: '' }),
          }),
        )}
      />
      {factory ? <FactoryFields {...props} /> : <Contracts {...props} />}
    </>
  );
}

export function ChainEventFields({ config, onChange }: FieldsProps) {
  const input = (name: string) =>
    text(String(config[name] ?? ''), (value) => onChange({ ...config, [name]: value }));
  return (
    <>
      <Chain config={config} onChange={onChange} />
      <Emitters config={config} onChange={onChange} />
      <TextInput
        label={t('Event')}
        description={t('For example Transfer(address indexed from, address indexed to, uint256 value).')}
        required
        ff="monospace"
        {...input('event_signature')}
      />
      <Confirmations config={config} onChange={onChange} />
    </>
  );
}
