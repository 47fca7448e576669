CREATE TABLE "triggers"."alert_deliveries" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"alert" json NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."alert_webhooks" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"secret" text NOT NULL,
	"after_failures" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "triggers"."triggers" ADD COLUMN "pause_after_failures" integer;--> statement-breakpoint
ALTER TABLE "triggers"."triggers" ADD COLUMN "consecutive_failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "triggers"."triggers" ADD COLUMN "alerted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "triggers"."alert_deliveries" ADD CONSTRAINT "alert_deliveries_user_id_alert_webhooks_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "triggers"."alert_webhooks"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers"."alert_webhooks" ADD CONSTRAINT "alert_webhooks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "triggers"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_deliveries_due" ON "triggers"."alert_deliveries" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "alert_deliveries_user" ON "triggers"."alert_deliveries" USING btree ("user_id","due_at");--> statement-breakpoint
CREATE INDEX "runs_user" ON "triggers"."runs" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "runs_user_failed" ON "triggers"."runs" USING btree ("user_id","created_at") WHERE "triggers"."runs"."status" = 'failed';