ALTER TABLE "triggers"."runs" ADD COLUMN "stop_requested_at" timestamp with time zone;
