CREATE TABLE "triggers"."revisions" (
	"trigger_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"action_code" text,
	"action_cid" text,
	"default_params" json NOT NULL,
	"usage_api_key" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "revisions_trigger_id_number_pk" PRIMARY KEY("trigger_id","number")
);
--> statement-breakpoint
ALTER TABLE "triggers"."runs" ADD COLUMN "asked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "triggers"."runs" ADD COLUMN "cid" text;--> statement-breakpoint
ALTER TABLE "triggers"."runs" ADD COLUMN "duration_ms" integer;--> statement-breakpoint
ALTER TABLE "triggers"."triggers" ADD COLUMN "paused_reason" text;--> statement-breakpoint
ALTER TABLE "triggers"."triggers" ADD COLUMN "held_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "triggers"."revisions" ADD CONSTRAINT "revisions_trigger_id_triggers_id_fk" FOREIGN KEY ("trigger_id") REFERENCES "triggers"."triggers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- A run that was claimed before may have been executed.
UPDATE "triggers"."runs" SET "asked_at" = "started_at" WHERE "status" IN ('queued', 'running') AND "revision" IS NOT NULL;
