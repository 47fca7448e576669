/** Messages of the services in the words of the pages: they name the fields of requests, which no page shows. */
import { t } from '../i18n.ts';

/** Labels of fields. Other names of several words lose their underscores. */
const labels: { [field: string]: string } = {
  execute_in_groups: t('Runs the actions of'),
  manage_ipfs_ids_in_groups: t('Change the actions of'),
  add_pkp_to_groups: t('Add wallets to'),
  remove_pkp_from_groups: t('Remove wallets from'),
  cid_hashes_permitted: t('Actions'),
  pkp_ids_permitted: t('Wallets'),
  cids: t('Actions'),
  pkp_ids: t('Wallets'),
  spend_cap_cents: t('Spending'),
  max_runs_per_minute: t('Runs per minute'),
  max_concurrency: t('Concurrent runs'),
  max_concurrent_runs: t('Concurrent runs'),
  max_run_seconds: t('Seconds per run'),
  expiration: t('Expires on'),
  usage_api_key: t('Usage key'),
  usage_key: t('Usage key'),
  api_key: t('Account key'),
  new_admin_wallet_address: t('Address of the new admin wallet'),
  default_params: t('Parameters of every run'),
  pause_after_failures: t('Pause after failed runs'),
  credit_low_cents: t('Credit is low below'),
  threshold_cents: t('When the credit is below'),
  amount_cents: t('Add'),
  monthly_limit_cents: t('At most per month'),
  contract_address: t('Contract'),
  contract_addresses: t('Contracts'),
  event_signature: t('Event'),
  js_params: t('Parameters'),
};

const labelOf = (field: string): string => labels[field] ?? field.replaceAll('_', ' ');

/** `body.config.cron: malformed` becomes `cron: malformed`, and a name of a field becomes its label. */
export const inPageWords = (message: string): string =>
  message
    .replace(/(?<![\w./])(?:body|query|params)\.(?:\w+\.)*(\w+)/gi, (_path, field: string) => labelOf(field))
    .replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, labelOf);

/** True for a refused identifier in the path of a page, which the user can only have mistyped. */
export const isMalformedPath = (message: string): boolean => /^params\./i.test(message);

/** Characters that change the order of the text around them or are not visible: a name of another person can have them. */
const HIDDEN = /[\p{Cc}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** A text of another person as it is written. */
export const visible = (text: string): string => text.replace(HIDDEN, '\ufffd');
