-- Indexes of tables that grow: see packages/service/src/indexes.ts. A list of runs has one for every filter: by the hash of the values
-- that it compares (eight bytes instead of two hundred), and then in the order of the list, with no need to sort. `run-records.ts` has the
-- same expressions.
CREATE INDEX CONCURRENTLY runs_account_cid ON runs (hashtextextended(account || cid, 0), started_at, hashtext(id));
CREATE INDEX CONCURRENTLY runs_key_cid ON runs (hashtextextended(key || cid, 0), started_at, hashtext(id));
CREATE INDEX CONCURRENTLY runs_account_state ON runs (hashtextextended(account || CASE WHEN ended_at IS NULL THEN 'running' WHEN duration_ms IS NULL THEN 'released' WHEN error_name IS NULL THEN 'success' WHEN error_name = 'ApprovalRequiredError' THEN 'waiting_for_approval' ELSE 'failed' END, 0), started_at, hashtext(id));
DROP INDEX CONCURRENTLY IF EXISTS runs_account_status;
CREATE INDEX CONCURRENTLY runs_key_state ON runs (hashtextextended(key || CASE WHEN ended_at IS NULL THEN 'running' WHEN duration_ms IS NULL THEN 'released' WHEN error_name IS NULL THEN 'success' WHEN error_name = 'ApprovalRequiredError' THEN 'waiting_for_approval' ELSE 'failed' END, 0), started_at, hashtext(id));
DROP INDEX CONCURRENTLY IF EXISTS runs_key_status;
CREATE INDEX CONCURRENTLY runs_account_cid_state ON runs (hashtextextended(account || cid || CASE WHEN ended_at IS NULL THEN 'running' WHEN duration_ms IS NULL THEN 'released' WHEN error_name IS NULL THEN 'success' WHEN error_name = 'ApprovalRequiredError' THEN 'waiting_for_approval' ELSE 'failed' END, 0), started_at, hashtext(id)) WHERE ended_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS runs_account_cid_status;
CREATE INDEX CONCURRENTLY runs_key_cid_state ON runs (hashtextextended(key || cid || CASE WHEN ended_at IS NULL THEN 'running' WHEN duration_ms IS NULL THEN 'released' WHEN error_name IS NULL THEN 'success' WHEN error_name = 'ApprovalRequiredError' THEN 'waiting_for_approval' ELSE 'failed' END, 0), started_at, hashtext(id)) WHERE ended_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS runs_key_cid_status;
CREATE INDEX CONCURRENTLY runs_account_error ON runs (hashtextextended(account || error_name, 0), started_at, hashtext(id)) WHERE error_name IS NOT NULL;
CREATE INDEX CONCURRENTLY runs_key_error ON runs (hashtextextended(key || error_name, 0), started_at, hashtext(id)) WHERE error_name IS NOT NULL;
CREATE INDEX CONCURRENTLY runs_account_cid_error ON runs (hashtextextended(account || cid || error_name, 0), started_at, hashtext(id)) WHERE error_name IS NOT NULL;
CREATE INDEX CONCURRENTLY runs_key_cid_error ON runs (hashtextextended(key || cid || error_name, 0), started_at, hashtext(id)) WHERE error_name IS NOT NULL;
CREATE INDEX CONCURRENTLY runs_key_started_at_id ON runs (key, started_at, id);
DROP INDEX CONCURRENTLY IF EXISTS runs_key_started_at;
-- The runs that count for the cap on concurrent runs of a key.
CREATE INDEX CONCURRENTLY runs_open_key ON runs (key) WHERE ended_at IS NULL;
CREATE INDEX CONCURRENTLY output_recordings_account ON output_recordings (account);
-- For the sweep, without the rows that it has already changed.
CREATE INDEX CONCURRENTLY runs_outcome_ended_at ON runs (ended_at) WHERE outcome IS NOT NULL;
-- A list of transactions of wallets has one for every filter. Few are pending: those of an account are found by its own index.
CREATE INDEX CONCURRENTLY wallet_transactions_key_wallet ON wallet_transactions (usage_key, wallet, created_at, id);
CREATE INDEX CONCURRENTLY wallet_transactions_key_status ON wallet_transactions (usage_key, status, created_at, id) WHERE status <> 'pending';
CREATE INDEX CONCURRENTLY wallet_transactions_wallet_status ON wallet_transactions (account, wallet, status, created_at, id) WHERE status <> 'pending';
CREATE INDEX CONCURRENTLY wallet_transactions_key_wallet_status ON wallet_transactions (usage_key, wallet, status, created_at, id) WHERE status <> 'pending';
-- For a nonce that may be lost: `take_wallet_turn`.
CREATE INDEX CONCURRENTLY wallet_transactions_settled_nonce ON wallet_transactions (chain_id, wallet, nonce) WHERE status <> 'pending' AND block_number IS NOT NULL;
CREATE INDEX CONCURRENTLY transactions_idempotent_created_at ON transactions (created_at) WHERE idempotency_id IS NOT NULL;
-- A list of the requests of an account has one for every filter. `request-records.ts` has the same expressions.
CREATE INDEX CONCURRENTLY account_requests_account ON account_requests (hashtextextended(account, 0), id);
CREATE INDEX CONCURRENTLY account_requests_outcome ON account_requests (hashtextextended(account || outcome, 0), id);
CREATE INDEX CONCURRENTLY account_requests_key ON account_requests (hashtextextended(account || key, 0), id);
CREATE INDEX CONCURRENTLY account_requests_route ON account_requests (hashtextextended(account || route, 0), id);
-- For the sweep.
CREATE INDEX CONCURRENTLY webhook_deliveries_queued_at ON webhook_deliveries (queued_at);
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_created_at;
-- For the looks for top-ups.
CREATE INDEX CONCURRENTLY auto_top_ups_due_at ON auto_top_ups (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX CONCURRENTLY auto_top_ups_checked_at ON auto_top_ups (checked_at);
