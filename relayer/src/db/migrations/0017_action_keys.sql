CREATE TABLE "action_keys" (
	"cid" text PRIMARY KEY NOT NULL,
	"certificate" text NOT NULL
);
