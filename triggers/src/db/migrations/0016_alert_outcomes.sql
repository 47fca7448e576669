ALTER TABLE "triggers"."alert_webhooks" ADD COLUMN "is_enabled" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "triggers"."alert_webhooks" ADD COLUMN "disabled_reason" text;--> statement-breakpoint
ALTER TABLE "triggers"."alert_webhooks" ADD COLUMN "failing_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "triggers"."alert_deliveries" ADD COLUMN "queued_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "triggers"."alert_deliveries" ADD COLUMN "attempted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "triggers"."alert_deliveries" ADD COLUMN "delivered_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "triggers"."alert_deliveries" ADD COLUMN "response_status" integer;--> statement-breakpoint
ALTER TABLE "triggers"."alert_deliveries" ADD COLUMN "error" text;
