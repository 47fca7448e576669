CREATE TABLE "new_account_gas" (
	"hour" timestamp with time zone PRIMARY KEY NOT NULL,
	"gas" bigint NOT NULL
);
