ALTER TABLE "triggers"."alert_webhooks" ADD COLUMN "authority" text;
