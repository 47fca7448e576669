-- Code of actions that accounts store to read it again.
CREATE TABLE "stored_codes" (
	"account" text NOT NULL,
	"cid" text NOT NULL,
	"code" text NOT NULL,
	"bytes" integer NOT NULL,
	"replaces" text,
	"stored_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "stored_codes_account_cid_pk" PRIMARY KEY("account","cid")
);
