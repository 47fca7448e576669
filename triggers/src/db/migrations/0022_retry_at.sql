ALTER TABLE "triggers"."triggers" ADD COLUMN "retry_at" timestamp with time zone;
