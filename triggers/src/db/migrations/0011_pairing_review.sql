ALTER TABLE "triggers"."agent_tokens" ADD COLUMN "last_used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "triggers"."pairings" ADD COLUMN "address" text;