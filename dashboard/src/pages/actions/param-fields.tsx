/** A form of the parameters of an action, over their JSON. */
import { type InputWrapperProps, Select, SimpleGrid, TextInput } from '@mantine/core';
import { text } from '../../components/form.tsx';
import type { Option } from '../../components/select-items.ts';
import { t } from '../../i18n.ts';
import { type ListedWallet, walletOptions } from '../../names.ts';
import { useWallets } from '../../queries.ts';
import type { Field, Params } from './param-forms.ts';

const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function valueAt(params: Params, path: string): string {
  const value = path.split('.').reduce<unknown>((of, name) => (isObject(of) ? of[name] : undefined), params);
  return value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The choices, and the value of the JSON when it is another one. */
function optionsOf(choices: NonNullable<Field['choices']>, wallets: ListedWallet[], value: string): Option[] {
  const options =
    choices === 'wallets'
      ? walletOptions(wallets)
      : choices.map((choice) => ({ value: choice, label: choice }));
  const isOther = value !== '' && options.every((option) => option.value !== value);
  return isOther ? [...options, { value, label: value }] : options;
}

/** Returns the parameters with a text at the path, or without it when it is empty. */
export function withValue(params: Params, path: string, value: string): Params {
  const [name = '', ...rest] = path.split('.');
  const { [name]: before, ...others } = params;
  const inner = isObject(before) ? before : {};
  const next = rest.length === 0 ? value : withValue(inner, rest.join('.'), value);
  const isEmpty = next === '' || (isObject(next) && Object.keys(next).length === 0);
  return isEmpty ? others : { ...params, [name]: next };
}

/** Fields of a row are at the same height, also when only one has a description. */
const inputWrapperOrder: InputWrapperProps['inputWrapperOrder'] = ['label', 'input', 'description'];

export function ParamFields({
  fields,
  params,
  onChange,
}: {
  fields: readonly Field[];
  /** Undefined while their JSON is malformed, which disables the form. */
  params: Params | undefined;
  onChange: (params: Params) => void;
}) {
  const { data: wallets = [] } = useWallets();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {fields.map(({ path, label, about, choices, isRequired }) => {
        const set = (value: string) => onChange(withValue(params ?? {}, path, value));
        const value = valueAt(params ?? {}, path);
        const shared = {
          label,
          description: about,
          inputWrapperOrder,
          required: isRequired,
          disabled: params === undefined,
        };
        return choices ? (
          <Select
            key={path}
            {...shared}
            placeholder={t('Choose one')}
            nothingFoundMessage={
              choices === 'wallets' ? t('No such wallet. Create one under Wallets.') : t('None')
            }
            data={optionsOf(choices, wallets, value)}
            value={value || null}
            onChange={(chosen) => set(chosen ?? '')}
            allowDeselect={false}
            searchable
          />
        ) : (
          <TextInput key={path} {...shared} {...text(value, set)} />
        );
      })}
    </SimpleGrid>
  );
}
