ALTER TABLE "triggers"."runs" ADD COLUMN "approval_id" uuid;
