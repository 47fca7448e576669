-- Rows that change all the time keep room on their page, so that a change touches no index. Dead rows are removed, and statistics renewed,
-- after a number of changes that does not grow with the table.
ALTER TABLE "credit_balances" SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);
--> statement-breakpoint
ALTER TABLE "usage_key_caps" SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02);
--> statement-breakpoint
ALTER TABLE "account_heads" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "payer_nonces" SET (fillfactor = 20);
--> statement-breakpoint
ALTER TABLE "runs" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 1);
--> statement-breakpoint
ALTER TABLE "idempotency" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
ALTER TABLE "transactions" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
ALTER TABLE "ledger_entries" SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
