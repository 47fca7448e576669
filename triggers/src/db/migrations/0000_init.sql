CREATE SCHEMA "triggers";
--> statement-breakpoint
CREATE TABLE "triggers"."agent_tokens" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"label" text NOT NULL,
	"authority" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."alert_deliveries" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"alert" json NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."alert_webhooks" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"secret" text NOT NULL,
	"after_failures" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."attempts" (
	"run_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone NOT NULL,
	"http_status" integer NOT NULL,
	"message" text NOT NULL,
	CONSTRAINT "attempts_run_id_number_pk" PRIMARY KEY("run_id","number")
);
--> statement-breakpoint
CREATE TABLE "triggers"."chain_cursors" (
	"trigger_id" uuid PRIMARY KEY NOT NULL,
	"next_block" bigint NOT NULL,
	"silent_below" bigint DEFAULT 0 NOT NULL,
	"unread" json DEFAULT '[]'::json NOT NULL,
	"head_block" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."fired_logs" (
	"trigger_id" uuid NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" text NOT NULL,
	"transaction_hash" text NOT NULL,
	"log_index" integer NOT NULL,
	"run_id" uuid,
	"retracted_at" timestamp with time zone,
	"retractions" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "fired_logs_trigger_id_block_hash_transaction_hash_log_index_pk" PRIMARY KEY("trigger_id","block_hash","transaction_hash","log_index")
);
--> statement-breakpoint
CREATE TABLE "triggers"."idempotency" (
	"id" text PRIMARY KEY NOT NULL,
	"request_hash" text NOT NULL,
	"holder" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"reply" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."login_nonces" (
	"nonce" text PRIMARY KEY NOT NULL,
	"browser" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."pairings" (
	"code_hash" text PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"user_code" text NOT NULL,
	"label" text NOT NULL,
	"address" text,
	"expires_at" timestamp with time zone NOT NULL,
	"user_id" uuid,
	"authority" text,
	"completed_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."revisions" (
	"trigger_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"action_code" text,
	"action_cid" text,
	"default_params" json NOT NULL,
	"usage_api_key" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "revisions_trigger_id_number_pk" PRIMARY KEY("trigger_id","number")
);
--> statement-breakpoint
CREATE TABLE "triggers"."runs" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"trigger_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"number" bigint NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"input" json NOT NULL,
	"dedupe_key" text,
	"concurrency_key" text,
	"scheduled_for" timestamp with time zone,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"claim" integer DEFAULT 0 NOT NULL,
	"revision" integer,
	"asked_at" timestamp with time zone,
	"lease_until" timestamp with time zone,
	"attempt" integer DEFAULT 0 NOT NULL,
	"idempotency_key" uuid DEFAULT gen_random_uuid() NOT NULL,
	"response" json,
	"logs" text,
	"error" json,
	"relayer_run_id" uuid,
	"cid" text,
	"duration_ms" integer,
	"cost_micros" bigint,
	"replay_of" uuid,
	"retracted_at" timestamp with time zone,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."sessions" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"authority" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."triggers" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"action_code" text,
	"action_cid" text,
	"default_params" json NOT NULL,
	"usage_api_key" text NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"max_runs_per_minute" integer NOT NULL,
	"max_queued_runs" integer NOT NULL,
	"max_concurrent_runs" integer NOT NULL,
	"throttle_per_minute" integer,
	"concurrency_key" text,
	"debounce_seconds" integer,
	"hold_when_paused" boolean DEFAULT false NOT NULL,
	"config" json NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"paused_reason" text,
	"held_until" timestamp with time zone,
	"pause_after_failures" integer,
	"consecutive_failures" integer DEFAULT 0 NOT NULL,
	"alerted_at" timestamp with time zone,
	"next_slot_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_account_unique" UNIQUE("account")
);
--> statement-breakpoint
ALTER TABLE "triggers"."agent_tokens" ADD CONSTRAINT "agent_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "triggers"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers"."alert_deliveries" ADD CONSTRAINT "alert_deliveries_user_id_alert_webhooks_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "triggers"."alert_webhooks"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers"."alert_webhooks" ADD CONSTRAINT "alert_webhooks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "triggers"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers"."attempts" ADD CONSTRAINT "attempts_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "triggers"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers"."chain_cursors" ADD CONSTRAINT "chain_cursors_trigger_id_triggers_id_fk" FOREIGN KEY ("trigger_id") REFERENCES "triggers"."triggers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers"."fired_logs" ADD CONSTRAINT "fired_logs_trigger_id_triggers_id_fk" FOREIGN KEY ("trigger_id") REFERENCES "triggers"."triggers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers"."pairings" ADD CONSTRAINT "pairings_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "triggers"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers"."revisions" ADD CONSTRAINT "revisions_trigger_id_triggers_id_fk" FOREIGN KEY ("trigger_id") REFERENCES "triggers"."triggers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers"."runs" ADD CONSTRAINT "runs_trigger_id_triggers_id_fk" FOREIGN KEY ("trigger_id") REFERENCES "triggers"."triggers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers"."sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "triggers"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "triggers"."triggers" ADD CONSTRAINT "triggers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "triggers"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_tokens_user" ON "triggers"."agent_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "alert_deliveries_due" ON "triggers"."alert_deliveries" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "alert_deliveries_user" ON "triggers"."alert_deliveries" USING btree ("user_id","due_at");--> statement-breakpoint
CREATE INDEX "fired_logs_block" ON "triggers"."fired_logs" USING btree ("trigger_id","block_number");--> statement-breakpoint
CREATE INDEX "idempotency_created_at" ON "triggers"."idempotency" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "pairings_expires_at" ON "triggers"."pairings" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "runs_dedupe" ON "triggers"."runs" USING btree ("trigger_id","dedupe_key") WHERE "triggers"."runs"."dedupe_key" is not null;--> statement-breakpoint
CREATE INDEX "runs_trigger" ON "triggers"."runs" USING btree ("trigger_id","created_at");--> statement-breakpoint
CREATE INDEX "runs_user" ON "triggers"."runs" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "runs_user_failed" ON "triggers"."runs" USING btree ("user_id","created_at") WHERE "triggers"."runs"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "runs_queued" ON "triggers"."runs" USING btree ("user_id","trigger_id","due_at") WHERE "triggers"."runs"."status" = 'queued';--> statement-breakpoint
CREATE INDEX "runs_concurrency" ON "triggers"."runs" USING btree ("trigger_id","concurrency_key","created_at") WHERE "triggers"."runs"."status" in ('queued', 'running') and "triggers"."runs"."concurrency_key" is not null;--> statement-breakpoint
CREATE INDEX "runs_queue" ON "triggers"."runs" USING btree ("user_id","trigger_id","number") WHERE "triggers"."runs"."status" = 'queued';--> statement-breakpoint
CREATE INDEX "runs_started" ON "triggers"."runs" USING btree ("trigger_id","started_at") WHERE "triggers"."runs"."started_at" is not null;--> statement-breakpoint
CREATE INDEX "runs_running" ON "triggers"."runs" USING btree ("trigger_id") WHERE "triggers"."runs"."status" = 'running';--> statement-breakpoint
CREATE INDEX "runs_lease" ON "triggers"."runs" USING btree ("lease_until") WHERE "triggers"."runs"."status" = 'running';--> statement-breakpoint
CREATE INDEX "runs_finished" ON "triggers"."runs" USING btree ("finished_at") WHERE "triggers"."runs"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX "runs_replay" ON "triggers"."runs" USING btree ("replay_of") WHERE "triggers"."runs"."replay_of" is not null;--> statement-breakpoint
CREATE INDEX "sessions_expires_at" ON "triggers"."sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "triggers_user" ON "triggers"."triggers" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "triggers_due" ON "triggers"."triggers" USING btree ("next_slot_at") WHERE "triggers"."triggers"."enabled" and "triggers"."triggers"."kind" = 'schedule';--> statement-breakpoint
CREATE INDEX "triggers_chain" ON "triggers"."triggers" USING btree (("config" ->> 'chain')) WHERE "triggers"."triggers"."enabled" and "triggers"."triggers"."kind" = 'chain_event';