-- When to look whether a charge of a stored card is due.
ALTER TABLE "auto_top_ups" ADD COLUMN "due_at" timestamp with time zone DEFAULT now();
