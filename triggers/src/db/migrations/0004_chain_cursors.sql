ALTER TABLE "triggers"."chain_cursors" ALTER COLUMN "head_block" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "triggers"."fired_logs" ALTER COLUMN "run_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "triggers"."chain_cursors" ADD COLUMN "silent_below" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "triggers"."chain_cursors" ADD COLUMN "unread" json DEFAULT '[]'::json NOT NULL;--> statement-breakpoint
ALTER TABLE "triggers"."chain_cursors" DROP COLUMN "follows";