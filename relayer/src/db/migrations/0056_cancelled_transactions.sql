ALTER TABLE "transactions" ADD COLUMN "cancel_requested_at" timestamp with time zone;
