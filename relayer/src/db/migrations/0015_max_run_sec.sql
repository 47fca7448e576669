ALTER TABLE "usage_key_caps" ADD COLUMN "max_run_sec" integer;
