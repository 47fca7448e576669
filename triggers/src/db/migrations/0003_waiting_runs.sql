ALTER TABLE "triggers"."runs" ADD COLUMN "concurrency_key" text;--> statement-breakpoint
ALTER TABLE "triggers"."triggers" ADD COLUMN "throttle_per_minute" integer;--> statement-breakpoint
ALTER TABLE "triggers"."triggers" ADD COLUMN "concurrency_key" text;--> statement-breakpoint
ALTER TABLE "triggers"."triggers" ADD COLUMN "debounce_seconds" integer;--> statement-breakpoint
ALTER TABLE "triggers"."triggers" ADD COLUMN "hold_when_paused" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "runs_concurrency" ON "triggers"."runs" USING btree ("trigger_id","concurrency_key","created_at") WHERE "triggers"."runs"."status" in ('queued', 'running') and "triggers"."runs"."concurrency_key" is not null;--> statement-breakpoint
CREATE INDEX "runs_started" ON "triggers"."runs" USING btree ("trigger_id","started_at");