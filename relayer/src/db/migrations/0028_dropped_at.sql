ALTER TABLE "transactions" ADD COLUMN "dropped_at" timestamp with time zone;
