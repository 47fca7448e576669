-- Versions of secrets, each encrypted by its client to a wallet of the account.
CREATE TABLE "secrets" (
	"account" text NOT NULL,
	"name" text NOT NULL,
	-- Unix milliseconds.
	"version" bigint NOT NULL,
	"wallet" text NOT NULL,
	"ciphertext" "bytea" NOT NULL,
	"set_at" timestamp with time zone DEFAULT now() NOT NULL,
	-- Exact to a minute.
	"last_read_at" timestamp with time zone,
	CONSTRAINT "secrets_account_name_version_pk" PRIMARY KEY("account","name","version")
);
--> statement-breakpoint
CREATE TABLE "secret_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	"account" text NOT NULL,
	"name" text NOT NULL,
	"event" text NOT NULL,
	-- Null for all versions.
	"version" bigint,
	-- Hash of the key or admin wallet.
	"caller" text NOT NULL,
	"cid" text,
	"run_id" text,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "secret_events_account_name" ON "secret_events" ("account","name","id");
--> statement-breakpoint
CREATE INDEX "secret_events_at" ON "secret_events" ("at");
