-- Dead rows are removed, and statistics renewed, after a number of changes that does not grow with the table.
ALTER TABLE "triggers"."runs" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 1);
--> statement-breakpoint
ALTER TABLE "triggers"."triggers" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "triggers"."attempts" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "triggers"."idempotency" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
