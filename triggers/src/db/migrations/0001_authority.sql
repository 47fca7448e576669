DELETE FROM "triggers"."sessions";--> statement-breakpoint
DELETE FROM "triggers"."agent_tokens";--> statement-breakpoint
DELETE FROM "triggers"."pairings";--> statement-breakpoint
ALTER TABLE "triggers"."agent_tokens" ADD COLUMN "authority" text NOT NULL;--> statement-breakpoint
ALTER TABLE "triggers"."pairings" ADD COLUMN "authority" text;--> statement-breakpoint
ALTER TABLE "triggers"."sessions" ADD COLUMN "authority" text NOT NULL;