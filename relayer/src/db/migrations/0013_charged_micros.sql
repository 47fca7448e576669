-- The amount that was captured for a run, which is not its seconds at the price of today.
ALTER TABLE "runs" ADD COLUMN "charged_micros" bigint;
--> statement-breakpoint
UPDATE "runs" SET "charged_micros" = "paid_seconds"::bigint * 10000;
--> statement-breakpoint
ALTER TABLE "runs" DROP COLUMN "paid_seconds";
--> statement-breakpoint
-- The parameters of its successor `finish_run` differ. No released version calls it.
DROP FUNCTION IF EXISTS end_run;
