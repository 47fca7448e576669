ALTER TABLE "triggers"."triggers" ADD COLUMN "held_reason" text;
