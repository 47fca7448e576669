/** Forms of the parameters of actions whose parameters are known. */
import { t } from '../../i18n.ts';

export type Params = { [name: string]: unknown };

/** A parameter of `main`. `path` has dots between the names of members. */
export type Field = {
  path: string;
  label: string;
  about?: string;
  /** Values to choose from. */
  choices?: 'wallets' | readonly string[];
  isRequired?: boolean;
};

export type ParamForm = {
  /** With which the form begins. */
  params: Params;
  /** The fields of these parameters. */
  fieldsOf: (params: Params) => readonly Field[];
};

const wallet: Field = { path: 'pkpId', label: t('Wallet'), choices: 'wallets', isRequired: true };

/** @param at - Path of the transaction, with a dot at its end. */
const transaction = (at: string): Field[] => [
  { path: `${at}chainId`, label: t('Chain id'), isRequired: true },
  { path: `${at}to`, label: t('Recipient or contract'), isRequired: true },
  { path: `${at}value`, label: t('Value'), about: t('In wei.') },
  { path: `${at}data`, label: t('Data'), about: t('The call of a contract: 0x and hex digits.') },
];

const sent = (at: string): Field[] => [
  ...transaction(at),
  {
    path: `${at}maxFeePerGas`,
    label: t('Highest fee per gas'),
    about: t('In wei. Empty: the service chooses it.'),
  },
  {
    path: `${at}idempotencyKey`,
    label: t('Idempotency key'),
    about: t('Another run with it sends nothing.'),
  },
];

/** Fields of requests that `use-wallet.js` and the code of policies take, by their kind. */
const requests = new Map<unknown, Field[]>(
  Object.entries({
    message: [{ path: 'message', label: t('Message'), isRequired: true }],
    sign_transaction: [
      ...transaction('transaction.'),
      { path: 'transaction.nonce', label: t('Nonce'), isRequired: true },
      { path: 'transaction.gas', label: t('Gas'), isRequired: true },
      {
        path: 'transaction.maxFeePerGas',
        label: t('Highest fee per gas'),
        about: t('In wei.'),
        isRequired: true,
      },
    ],
    send_transaction: sent('transaction.'),
    hash: [{ path: 'hash', label: t('Hash'), about: t('0x and 64 hex digits.'), isRequired: true }],
  }),
);

/** Typed data has no fields of its own: it is written as JSON. */
const typedData: Params = { domain: {}, types: {}, primaryType: '', message: {} };

export const sendForm: ParamForm = { params: {}, fieldsOf: () => [wallet, ...sent('')] };

/** The form of requests of these kinds. */
export const requestForm = (kinds: readonly string[]): ParamForm => ({
  params: { kind: kinds[0], ...(kinds[0] === 'typed_data' && typedData) },
  fieldsOf: ({ kind }) => [
    ...(kinds.length > 1 ? [{ path: 'kind', label: t('Kind'), choices: kinds, isRequired: true }] : []),
    wallet,
    ...(requests.get(kind) ?? []),
  ],
});
