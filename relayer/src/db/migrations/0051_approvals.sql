CREATE TABLE "approvals" (
	"id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"key" text NOT NULL,
	"cid" text NOT NULL,
	"run_id" text NOT NULL,
	"request" jsonb NOT NULL,
	"signatures" jsonb DEFAULT '{}' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"refused_by" text,
	"used_by" text,
	"input" text
);
--> statement-breakpoint
CREATE INDEX "approvals_account_created_at" ON "approvals" USING btree ("account","created_at","id");--> statement-breakpoint
CREATE INDEX "approvals_key_created_at" ON "approvals" USING btree ("key","created_at","id");--> statement-breakpoint
CREATE INDEX "approvals_open" ON "approvals" USING btree ("account") WHERE "approvals"."input" is not null;--> statement-breakpoint
CREATE INDEX "approvals_open_expires_at" ON "approvals" USING btree ("expires_at") WHERE "approvals"."input" is not null;--> statement-breakpoint
CREATE INDEX "approvals_expires_at" ON "approvals" USING btree ("expires_at");
