CREATE TABLE "action_code_uses" (
	"account" text NOT NULL,
	"cid" text NOT NULL,
	"last_used_at" timestamp with time zone NOT NULL,
	CONSTRAINT "action_code_uses_account_cid_pk" PRIMARY KEY("account","cid")
);
--> statement-breakpoint
ALTER TABLE "action_code_uses" ADD CONSTRAINT "action_code_uses_cid_action_codes_cid_fk" FOREIGN KEY ("cid") REFERENCES "public"."action_codes"("cid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "action_code_uses_cid" ON "action_code_uses" USING btree ("cid","last_used_at");