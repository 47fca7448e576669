/** Settings with one value: `deploy` sets them and `verify` compares them. A new one needs a line here and a field in networks.json. */
import {
  type AbiParameter,
  type Address,
  concat,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  maxUint256,
  toFunctionSelector,
  zeroAddress,
} from 'viem';
import type { Network } from './inputs.ts';

type Value = Address | bigint | boolean;

export type Setting = {
  /** Field of the network. */
  name: keyof Network;
  /** The view that returns it, and the function that sets it. */
  view: string;
  write: string;
  type: 'address' | 'uint256' | 'bool';
  /** The value in a new contract. null in the network means this value. */
  initial: Value;
};

export const settings: readonly Setting[] = [
  { name: 'guardian', view: 'guardian', write: 'setGuardian', type: 'address', initial: zeroAddress },
  {
    name: 'configOperator',
    view: 'configOperator',
    write: 'setConfigOperator',
    type: 'address',
    initial: zeroAddress,
  },
  {
    name: 'pricingOperator',
    view: 'pricingOperator',
    write: 'setPricingOperator',
    type: 'address',
    initial: zeroAddress,
  },
  {
    name: 'conversionLimit',
    view: 'conversionLimit',
    write: 'setConversionLimit',
    type: 'uint256',
    initial: maxUint256,
  },
  {
    name: 'consentRequired',
    view: 'consentRequired',
    write: 'setConsentRequired',
    type: 'bool',
    initial: false,
  },
];

const encode = ({ type }: Setting, value: Value): Hex =>
  encodeAbiParameters([{ type } as AbiParameter], [value]);

export const readOf = ({ view }: Setting): Hex => toFunctionSelector(`${view}()`);
/** The data that the view must return. */
export function wantedOf(setting: Setting, network: Network): Hex {
  const wanted = network[setting.name];
  return encode(
    setting,
    wanted === null
      ? setting.initial
      : setting.type === 'uint256'
        ? BigInt(wanted as number)
        : (wanted as Value),
  );
}

/** The settings in the form of Deploy.s.sol. */
export const valuesOf = (network: Network): object[] =>
  settings.map((setting) => {
    const wanted = wantedOf(setting, network);
    return {
      what: setting.write,
      read: readOf(setting),
      initial: encode(setting, setting.initial),
      wanted,
      write: concat([toFunctionSelector(`${setting.write}(${setting.type})`), wanted]),
    };
  });

export const describe = ({ type }: Setting, data: Hex): string =>
  data === '0x' ? '' : String(decodeAbiParameters([{ type } as AbiParameter], data)[0]);
