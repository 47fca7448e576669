-- Indexes of tables that grow: see packages/service/src/indexes.ts. Lists of runs with a status, in their order.
CREATE INDEX CONCURRENTLY runs_user_status ON triggers.runs (user_id, status, created_at, id);
CREATE INDEX CONCURRENTLY runs_trigger_status ON triggers.runs (trigger_id, status, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS triggers.runs_user_failed;
-- Lists without a status.
CREATE INDEX CONCURRENTLY runs_user_created_at ON triggers.runs (user_id, created_at, id);
CREATE INDEX CONCURRENTLY runs_trigger_created_at ON triggers.runs (trigger_id, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS triggers.runs_user;
DROP INDEX CONCURRENTLY IF EXISTS triggers.runs_trigger;
-- For the sweep.
CREATE INDEX CONCURRENTLY login_nonces_expires_at ON triggers.login_nonces (expires_at);
CREATE INDEX CONCURRENTLY agent_tokens_expires_at ON triggers.agent_tokens (expires_at);
CREATE INDEX CONCURRENTLY revisions_created_at ON triggers.revisions (created_at);
-- Triggers that follow a chain.
CREATE INDEX CONCURRENTLY triggers_followed ON triggers.triggers ((config ->> 'chain')) WHERE enabled AND kind IN ('chain_event', 'chain_block');
DROP INDEX CONCURRENTLY IF EXISTS triggers.triggers_chain;
-- Alerts that wait, the lists of all and of failed ones, and the sweep.
CREATE INDEX CONCURRENTLY alert_deliveries_waiting ON triggers.alert_deliveries (user_id, due_at) WHERE due_at < 'infinity';
CREATE INDEX CONCURRENTLY alert_deliveries_failed ON triggers.alert_deliveries (user_id, created_at, id) WHERE due_at = 'infinity' AND delivered_at IS NULL;
CREATE INDEX CONCURRENTLY alert_deliveries_created_at ON triggers.alert_deliveries (user_id, created_at, id);
CREATE INDEX CONCURRENTLY alert_deliveries_queued_at ON triggers.alert_deliveries (queued_at);
DROP INDEX CONCURRENTLY IF EXISTS triggers.alert_deliveries_age;
DROP INDEX CONCURRENTLY IF EXISTS triggers.alert_deliveries_due;
DROP INDEX CONCURRENTLY IF EXISTS triggers.alert_deliveries_user;
-- Runs that are being stopped.
CREATE INDEX CONCURRENTLY runs_stopping ON triggers.runs (stop_requested_at) WHERE stop_requested_at IS NOT NULL AND status IN ('queued', 'running');
-- Searches for the trigger of a run of the relayer.
CREATE INDEX CONCURRENTLY runs_user_relayer_run_id ON triggers.runs (user_id, relayer_run_id) WHERE relayer_run_id IS NOT NULL;
