/** Messages of the services in the words of the pages: they name the fields of requests, which no page shows. */

/** Labels of fields. Other names of several words lose their underscores. */
const labels: { [field: string]: string } = {
  execute_in_groups: 'Runs the actions of',
  manage_ipfs_ids_in_groups: 'Change the actions of',
  add_pkp_to_groups: 'Add wallets to',
  remove_pkp_from_groups: 'Remove wallets from',
  cid_hashes_permitted: 'Actions',
  pkp_ids_permitted: 'Wallets',
  cids: 'Actions',
  pkp_ids: 'Wallets',
  spend_cap_cents: 'Spending',
  max_runs_per_minute: 'Runs per minute',
  max_concurrency: 'Concurrent runs',
  max_concurrent_runs: 'Concurrent runs',
  max_run_seconds: 'Seconds per run',
  expiration: 'Expires on',
  usage_api_key: 'Usage key',
  usage_key: 'Usage key',
  api_key: 'Account key',
  new_admin_wallet_address: 'Address of the new admin wallet',
  default_params: 'Parameters of every run',
  pause_after_failures: 'Pause after failed runs',
  credit_low_cents: 'Credit is low below',
  threshold_cents: 'When the credit is below',
  amount_cents: 'Add',
  monthly_limit_cents: 'At most per month',
  contract_address: 'Contract',
  contract_addresses: 'Contracts',
  event_signature: 'Event',
  js_params: 'Parameters',
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
