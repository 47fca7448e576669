-- Automatic top-ups by a stored card.
CREATE TABLE "auto_top_ups" (
	"account" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"customer" text NOT NULL,
	"payment_method" text NOT NULL,
	"brand" text NOT NULL,
	"last4" text NOT NULL,
	"expiry_month" integer NOT NULL,
	"expiry_year" integer NOT NULL,
	"threshold_micros" bigint NOT NULL,
	"amount_cents" integer NOT NULL,
	"monthly_limit_cents" integer NOT NULL,
	"pause_reason" text,
	"decline_code" text,
	"paused_at" timestamp with time zone,
	"checked_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "card_detachments" (
	"payment_method" text PRIMARY KEY NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "top_up_charges" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account" text NOT NULL,
	"owner" text NOT NULL,
	"customer" text NOT NULL,
	"payment_method" text NOT NULL,
	"amount_cents" integer NOT NULL,
	"status" text DEFAULT 'sending' NOT NULL,
	"intent" text,
	"lease_until" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "top_up_charges_intent" UNIQUE("intent")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "top_up_charges_open" ON "top_up_charges" USING btree ("account") WHERE "top_up_charges"."status" in ('sending', 'waiting', 'closing');--> statement-breakpoint
CREATE INDEX "top_up_charges_due" ON "top_up_charges" USING btree ("lease_until") WHERE "top_up_charges"."status" in ('sending', 'closing');--> statement-breakpoint
CREATE INDEX "top_up_charges_account" ON "top_up_charges" USING btree ("account","created_at");
