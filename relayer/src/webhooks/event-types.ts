/**
 * The types of events. To add one: add its line, and queue it with `queue_webhook` in the transaction that stores the change.
 * An account that wants no event costs one index lookup in that statement.
 */
export const eventTypes = {
  'run.finished':
    'A run has ended: `run_id`, `cid`, `usage_key_hash`, `status`, `error_name`, `duration_ms`, `charged_micros`.',
  'approval.wanted':
    'A run waits for an approval: `approval_id`, `run_id`, `cid`, `usage_key_hash`, `summary`, `hash`, `approvers`, `contract_approvers`, `passkey_approvers`, `passkey_rp_id`, `threshold`, `expires`.',
  'credit.low':
    'The credit fell below `credit_low_cents` of the webhook, once per crossing: `credit_micros`, `credit_low_micros`.',
  'auto_top_up.paused':
    'An automatic top-up made no payment, and makes none until the owner acts: `reason` (`authentication_required`, `card_declined`, `payment_taken_back`), `decline_code`, `amount_cents`.',
  'usage_key.removed':
    'A usage key was removed: `usage_key_hash`, null when all keys were removed together; `transaction_hash`, `block_number`.',
  'account.changed':
    'A transaction changed the account on the chain: `transaction_hash`, `block_number`, `block_hash`, `changes`.',
  'transaction.broadcast':
    'A node has a transaction of a wallet, or a reorg took it out of its block: `id`, `wallet`, `chain_id`, `nonce`, `hash`, `block_number`, `reason`, `run_id`, `cid`, `usage_key_hash`.',
  'transaction.mined': 'It is in a block that is not confirmed. The same data.',
  'transaction.confirmed': 'It succeeded, and its block is confirmed. The same data.',
  'transaction.failed':
    'It was mined and reverted, and its block is confirmed: `reason` says why. The same data.',
  'transaction.replaced':
    'Another transaction used its nonce: `reason` is `cancelled` for its own cancellation. The same data.',
} as const;

export type EventType = keyof typeof eventTypes;
export const eventTypeNames = Object.keys(eventTypes) as [EventType, ...EventType[]];
