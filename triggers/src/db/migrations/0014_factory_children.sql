-- Contracts that the factories of chain-event triggers have announced.
CREATE TABLE "triggers"."factory_children" (
	"trigger_id" uuid NOT NULL,
	"address" text NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" text NOT NULL,
	CONSTRAINT "factory_children_trigger_id_address_pk" PRIMARY KEY("trigger_id","address")
);
--> statement-breakpoint
ALTER TABLE "triggers"."factory_children" ADD CONSTRAINT "factory_children_trigger_id_triggers_id_fk" FOREIGN KEY ("trigger_id") REFERENCES "triggers"."triggers"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "factory_children_number" ON "triggers"."factory_children" USING btree ("block_number");
