-- The journal applies this file with the next one, in one transaction. The lock makes both see every run and trigger: writers wait,
-- readers do not.
LOCK TABLE "triggers"."runs", "triggers"."triggers" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
CREATE TABLE "triggers"."queue_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "triggers"."queue_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" uuid NOT NULL,
	"trigger_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."queue_triggers" (
	"trigger_id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"running" integer DEFAULT 0 NOT NULL,
	"is_ready" boolean DEFAULT false NOT NULL,
	"wake_at" timestamp with time zone,
	"served_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."queue_users" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"running" integer DEFAULT 0 NOT NULL,
	"is_ready" boolean DEFAULT false NOT NULL,
	"served_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "triggers"."queue_triggers" ADD CONSTRAINT "queue_triggers_trigger_id_triggers_id_fk" FOREIGN KEY ("trigger_id") REFERENCES "triggers"."triggers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers"."queue_users" ADD CONSTRAINT "queue_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "triggers"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "queue_triggers_ready" ON "triggers"."queue_triggers" USING btree ("user_id","running","served_at") WHERE "triggers"."queue_triggers"."is_ready";--> statement-breakpoint
CREATE INDEX "queue_triggers_wake" ON "triggers"."queue_triggers" USING btree ("wake_at") WHERE "triggers"."queue_triggers"."wake_at" is not null;--> statement-breakpoint
CREATE INDEX "queue_users_ready" ON "triggers"."queue_users" USING btree ("running","served_at") WHERE "triggers"."queue_users"."is_ready";--> statement-breakpoint
CREATE INDEX "runs_running_user" ON "triggers"."runs" USING btree ("user_id","trigger_id") WHERE "triggers"."runs"."status" = 'running';--> statement-breakpoint
-- Every claim changes rows here. Dead ones at the front of an index are read by each claim until a vacuum.
ALTER TABLE "triggers"."queue_changes" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);--> statement-breakpoint
ALTER TABLE "triggers"."queue_users" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);--> statement-breakpoint
ALTER TABLE "triggers"."queue_triggers" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
