-- Uncompressed public key of the wallet, so that the next version needs no other source of it.
ALTER TABLE "secrets" ADD COLUMN "wallet_public_key" text;
