/** Templates of actions: the standard actions of the service, and policies, from which the code of an action is built. */
import cids from '../../../../actions/cids.json';
import sendTransactionPolicy from '../../../../actions/policies/send-transaction.json?raw';
import signMessagePolicy from '../../../../actions/policies/sign-message.json?raw';
import signTransactionPolicy from '../../../../actions/policies/sign-transaction.json?raw';
import signTypedDataPolicy from '../../../../actions/policies/sign-typed-data.json?raw';
import policyCids from '../../../../actions/policy-cids.json';
import sendTransaction from '../../../../actions/send-transaction.js?raw';
import useWallet from '../../../../actions/use-wallet.js?raw';
import { t } from '../../i18n.ts';
import { type ParamForm, requestForm, sendForm } from './param-forms.ts';

export type Template = {
  title: string;
  about: string;
  /** CID of its code; of a policy, while it is as in the template. */
  cid: string;
  form: ParamForm;
  source: { code: string } | { policy: string };
};

/** By their names in the URL. */
export const templates: { readonly [name: string]: Template } = {
  'send-transaction': {
    title: t('Send a transaction'),
    about: t(
      'Sends the transaction that the caller gives, with a nonce and fees of the service. Permit it only to keys that may spend all that the wallet has.',
    ),
    cid: cids['send-transaction.js'],
    form: sendForm,
    source: { code: sendTransaction },
  },
  'use-wallet': {
    title: t('Use a wallet'),
    about: t(
      'Signs and sends what the caller gives, for the accounts of viem and ethers. Permit it only to keys that may do all that the wallet can.',
    ),
    cid: cids['use-wallet.js'],
    form: requestForm(['message', 'typed_data', 'sign_transaction', 'send_transaction', 'hash']),
    source: { code: useWallet },
  },
  'sign-message': {
    title: t('Policy: sign messages'),
    about: t(
      'Signs only messages that begin with a certain text. In the example, the wallet signs in to one site.',
    ),
    cid: policyCids['sign-message'],
    form: requestForm(['message']),
    source: { policy: signMessagePolicy },
  },
  'sign-typed-data': {
    title: t('Policy: sign typed data'),
    about: t(
      'Signs only typed data of certain contracts. In the example, permits of USDC for one spender, up to an amount per day.',
    ),
    cid: policyCids['sign-typed-data'],
    form: requestForm(['typed_data']),
    source: { policy: signTypedDataPolicy },
  },
  'sign-transaction': {
    title: t('Policy: sign transactions'),
    about: t(
      'Signs only certain transactions, which the caller sends. In the example, transfers of USDC, up to an amount each and per day.',
    ),
    cid: policyCids['sign-transaction'],
    form: requestForm(['sign_transaction']),
    source: { policy: signTransactionPolicy },
  },
  'send-policy': {
    title: t('Policy: send transactions'),
    about: t(
      'Sends only certain transactions. In the example, ether to two addresses on weekdays, up to an amount each and per week.',
    ),
    cid: policyCids['send-transaction'],
    form: requestForm(['send_transaction']),
    source: { policy: sendTransactionPolicy },
  },
};

/** Returns the form of a registered action that is as in a template. */
export const formOf = (cid: string | undefined): ParamForm | undefined =>
  Object.values(templates).find((template) => template.cid === cid)?.form;
