export interface paths {
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the account and label of a token or session
         * @description Replies 401 when the agent must be paired again.
         */
        get: operations["get_api_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/login/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a message that a wallet signs to log in
         * @description The message (EIP-4361) names the origin of the dashboard (`DASHBOARD_URL`). It is valid for five minutes, for one POST /api/login.
         */
        post: operations["post_api_login_message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Logs a person in with the account key, or with the admin wallet
         * @description With a wallet, ask for a message first (POST /api/login/message) and send it with its signature. The token is valid for 12 hours, until POST /api/logout, or until the account key, the admin or the mode of the account changes. It can do what a browser session can: also approve and revoke agents. `Idempotency-Key` is ignored: the reply is not stored.
         */
        post: operations["post_api_login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the login of the request */
        post: operations["post_api_logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the paired agents, newest first
         * @description At most 1,000. For people: the token of an agent gets 403.
         */
        get: operations["get_api_agents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revokes an agent
         * @description Its token gets 401 immediately. For people: the token of an agent gets 403.
         */
        delete: operations["delete_api_agents_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pairings/review": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reads a pairing that waits for approval
         * @description Approve only when the agent shows the same `user_code`. For people: the token of an agent gets 403.
         */
        post: operations["post_api_pairings_review"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pairings/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves an agent
         * @description The agent can then complete the pairing and act for the account. For people: the token of an agent gets 403.
         */
        post: operations["post_api_pairings_approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pairings/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Denies an agent
         * @description Ends the pairing: POST /agent/pair/complete of the agent replies 404. For people: the token of an agent gets 403.
         */
        post: operations["post_api_pairings_deny"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists triggers, newest first */
        get: operations["get_api_triggers"];
        put?: never;
        /** Creates a trigger */
        post: operations["post_api_triggers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a trigger */
        get: operations["get_api_triggers_id"];
        put?: never;
        post?: never;
        /**
         * Deletes a trigger and its runs
         * @description Does not stop a run that the relayer is already executing.
         */
        delete: operations["delete_api_triggers_id"];
        options?: never;
        head?: never;
        /**
         * Updates a trigger
         * @description Changes only the given fields. `enabled: false` pauses the trigger: no event fires it, and its queued runs wait. `action_code` replaces `action_cid` and vice versa. `config` replaces the whole config; a new `kind` discards the old one.
         */
        patch: operations["patch_api_triggers_id"];
        trace?: never;
    };
    "/api/triggers/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Runs a trigger immediately
         * @description The action receives `input` with `source` (the kind of the trigger) and `test: true`. The run counts against the limits and is charged. It runs whether or not the `if` of the trigger matches the input, which `matches` tells. With `dry_run` nothing runs.
         */
        post: operations["post_api_triggers_id_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/preview_schedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Shows when a schedule would fire
         * @description Refuses a config that a new trigger could not have. Stores nothing.
         */
        post: operations["post_api_preview_schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/senders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the senders whose signatures are verified */
        get: operations["get_api_senders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the runs of a trigger, newest first
         * @description Use `status=failed` to list the runs that need attention.
         */
        get: operations["get_api_triggers_id_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replays finished runs by time range or status
         * @description Creates a new run with the same input for each, oldest first, as many as the limits of the trigger allow. Skips runs that were already replayed: repeat the request until `remaining` is 0.
         */
        post: operations["post_api_triggers_id_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Searches the runs of all triggers, newest first
         * @description A run must match all parameters.
         */
        get: operations["get_api_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads a run with its logs and attempts
         * @description A run in flight has its logs until now. With `Accept: text/event-stream` the reply is a stream: `status` (`{status}`) now and at each change, `log` (`{text}`) with each new part of the logs, and last `result` (`{status, headers, body}`) when the run has ended. `restart` tells that the logs begin again, because the run is executed again. The stream ends with a 401 in `result` when the token or session ends.
         */
        get: operations["get_api_runs_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replays a run
         * @description Creates a new run with the same input, or with `input`, and the current action. The new run is charged.
         */
        post: operations["post_api_runs_id_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops a run
         * @description A queued run is not executed. When the reply to an earlier request of it was lost, the relayer is asked to stop it, and `error` says that it may have been executed. A running one ends with `StoppedError` and is charged for the seconds that it used. Both end as `failed`, and do not count for `pause_after_failures`. Returns the run when it has ended; when the end takes longer than 5 seconds, also because the relayer does not answer, `status` is still `running` or `queued`, and the run is stopped later. Has no effect on a run that has ended.
         */
        post: operations["post_api_runs_id_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads the alert webhook */
        get: operations["get_api_alerts"];
        /**
         * Sets the alert webhook
         * @description The service sends an alert to it when a trigger fails `after_failures` times in a row, is paused by the service, or waits for credit. `secret` is returned once, when the webhook is new and with `rotate_secret`. Alerts that wait are sent to the new URL. Enables a webhook that the service has disabled.
         */
        put: operations["put_api_alerts"];
        post?: never;
        /** Deletes the alert webhook, its secret and its alerts */
        delete: operations["delete_api_alerts"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alerts/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a test alert
         * @description Makes one attempt and replies with its result. At most 10 per minute.
         */
        post: operations["post_api_alerts_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alerts/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the alerts that were sent or wait, newest first
         * @description The next page begins with `before` of the last id. Deliveries are kept for 30 days.
         */
        get: operations["get_api_alerts_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alerts/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends alerts again
         * @description Either one delivery that has ended, or all that failed and were stored at or after a time. They keep their `webhook-id` and are retried as new ones. A delivery that waits is not sent twice.
         */
        post: operations["post_api_alerts_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The body of every reply with a status of 400 or more. */
        Error: {
            /** @enum {string} */
            error: "bad_request" | "invalid_json" | "unauthorized" | "payment_required" | "forbidden" | "not_found" | "conflict" | "payload_too_large" | "unprocessable_entity" | "too_many_requests" | "internal_error" | "service_unavailable";
            message: string;
            /** @description How to fix the request. */
            fix?: string;
            /**
             * Format: uuid
             * @description Also in the header X-Request-Id.
             */
            request_id: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_api_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        account: string;
                        label: string;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_login_message: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A",
                 *       "login_secret": "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
                 *     }
                 */
                "application/json": {
                    address: string;
                    /** @description 32 random bytes of the client as base64url without padding, the same in both requests: the message is valid only with it. */
                    login_secret: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "app.example wants you to sign in with your Ethereum account:\n…"
                     *     }
                     */
                    "application/json": {
                        message: string;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_key": "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
                 *     }
                 */
                "application/json": {
                    /** @description Account key of a managed account. Not stored. */
                    account_key: string;
                } | {
                    /** @description The message of POST /api/login/message, unchanged. */
                    message: string;
                    /** @description EIP-191 or ERC-1271 signature of the message. */
                    signature: string;
                    /** @description The `login_secret` of POST /api/login/message. */
                    login_secret: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg",
                     *       "expires_at": "2026-01-01T12:00:00.000Z",
                     *       "account": "0x1212121212121212121212121212121212121212121212121212121212121212"
                     *     }
                     */
                    "application/json": {
                        token: string;
                        /** Format: date-time */
                        expires_at: string;
                        /** @description Master hash of the account, or the identity of a wallet without one. */
                        account: string;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller is not allowed to do this */
            403: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_logout: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        success: true;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller is not allowed to do this */
            403: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_agents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        agents: {
                            /** @description Hash of the token of the agent. */
                            id: string;
                            label: string;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            expires_at: string;
                            /** @description Exact to an hour. Null before the first use. */
                            last_used_at: string | null;
                        }[];
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller is not allowed to do this */
            403: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_agents_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: true;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller is not allowed to do this */
            403: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_pairings_review: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
                 *     }
                 */
                "application/json": {
                    /** @description The code in `authorize_url`. */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "label": "laptop",
                     *       "user_code": "BCDF-GHJK",
                     *       "requested_from": "192.0.2.1",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "expires_at": "2026-01-01T00:10:00.000Z",
                     *       "grants": [
                     *         "Read, create, change and delete the triggers of the account, and its alert webhook.",
                     *         "Start, stop and replay runs, which are charged to the account.",
                     *         "Read the inputs, results and logs of runs."
                     *       ],
                     *       "valid_days": 90
                     *     }
                     */
                    "application/json": {
                        label: string;
                        user_code: string;
                        /** @description IP address of the agent. */
                        requested_from: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        expires_at: string;
                        /** @description Permissions of the agent after the approval, as sentences. */
                        grants: string[];
                        /** @description Days for which the token of the agent is valid. */
                        valid_days: number;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller is not allowed to do this */
            403: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_pairings_approve: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
                 *     }
                 */
                "application/json": {
                    /** @description The code in `authorize_url`. */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        success: true;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller is not allowed to do this */
            403: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_pairings_deny: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
                 *     }
                 */
                "application/json": {
                    /** @description The code in `authorize_url`. */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        success: true;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller is not allowed to do this */
            403: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_triggers: {
        parameters: {
            query?: {
                /** @description Maximum number of items. A page with more than 4 MiB of items ends earlier. */
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        triggers: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "webhook" | "schedule" | "chain_event" | "chain_block";
                            action_code: string | null;
                            action_cid: string | null;
                            /** @description Hash of the usage key. Null when the stored key cannot be decrypted: set it again. */
                            usage_key_hash: string | null;
                            default_params: {
                                [key: string]: unknown;
                            };
                            max_runs_per_minute: number;
                            max_queued_runs: number;
                            max_concurrent_runs: number;
                            throttle_per_minute: number | null;
                            concurrency_key: (string | {
                                path: string;
                                /** @enum {string} */
                                scope: "trigger" | "account";
                            } | {
                                value: string;
                            }) | null;
                            debounce_seconds: number | null;
                            hold_when_paused: boolean;
                            pause_after_failures: number | null;
                            config: {
                                [key: string]: unknown;
                            };
                            enabled: boolean;
                            /** @description Number of failed runs since the last success. */
                            consecutive_failures: number;
                            /** @description Reason for which the service disabled the trigger, until it is enabled again. */
                            paused_reason: string | null;
                            /** @description Set while the runs of the trigger wait: its account has no credit, or the service has not executed a run for a day. */
                            held: ("payment_required" | "service_unavailable") | null;
                            /** @description Last error of `config.if`, since the config was changed. The event fired no run. */
                            filter_error: {
                                message: string;
                                /** Format: date-time */
                                at: string;
                            } | null;
                            /** @description URL of a webhook trigger. */
                            webhook_url?: string;
                            /** @description Next five slots of a schedule trigger. Empty while it is paused. */
                            next_runs?: string[];
                            /** @description In the reply to a GET of an enabled trigger that follows a chain: the node in use, by its position in the setting; the newest block; the seconds since the nodes returned it; and why blocks are not read. */
                            follower?: {
                                node: number;
                                last_block: number | null;
                                lag_sec: number;
                                error: string | null;
                                error_since: string | null;
                            };
                            /** @description In the reply to a GET of a chain-event trigger with a factory: the children that it follows. Children that are announced when there are `max` are not followed. */
                            children?: {
                                count: number;
                                max: number;
                            };
                            /** @description In the reply to a PATCH of a trigger that follows a chain, when it changes `config` or resumes it: the blocks that are read up to now. Empty when `from_block` is greater. */
                            reads?: {
                                from_block: number;
                                to_block: number;
                            };
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                        }[];
                        /** @description Offset of the next page. Absent on the last page. */
                        next_offset?: number;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_triggers: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "every morning",
                 *       "kind": "schedule",
                 *       "action_code": "const main = ({ scheduled_at }) => scheduled_at",
                 *       "usage_api_key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                 *       "config": {
                 *         "cron": "0 9 * * *",
                 *         "timezone": "Europe/Berlin"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description At most 128 bytes in UTF-8. */
                    name: string;
                    action_code?: string | null;
                    action_cid?: string | null;
                    /** @description Parameters of every run, up to 256 KiB. Parameters of the event override them. */
                    default_params?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description A usage key that may execute the action. Stored encrypted, never returned. */
                    usage_api_key: string;
                    /** @description Maximum number of runs accepted in any 60 seconds. */
                    max_runs_per_minute?: number;
                    /** @description Maximum number of queued runs. */
                    max_queued_runs?: number;
                    /** @description Maximum number of concurrent runs. */
                    max_concurrent_runs?: number;
                    /** @description Maximum number of runs that start in any 60 seconds. Further ones wait. */
                    throttle_per_minute?: number | null;
                    /** @description Path into the input, such as `event.order.id`. Runs with an equal value there run one after another, in the order of acceptance. With `{path, scope: "account"}` they also wait for runs of other triggers of the account and for direct runs that name the value as their `concurrency_key`; with `{value}` all runs have that one key, for example the address of a wallet. */
                    concurrency_key?: (string | {
                        path: string;
                        /** @enum {string} */
                        scope: "trigger" | "account";
                    } | {
                        value: string;
                    }) | null;
                    /** @description A run starts only after so many seconds without a newer event of its `concurrency_key`. A newer event replaces it: its status is `skipped`. */
                    debounce_seconds?: number | null;
                    /** @description A paused webhook trigger keeps accepting deliveries, which run when it is enabled, instead of replying 410. */
                    hold_when_paused?: boolean;
                    /** @description Failed runs in a row after which the service pauses the trigger. Null for never. */
                    pause_after_failures?: number | null;
                    enabled?: boolean;
                    /** @enum {string} */
                    kind: "webhook";
                    config?: {
                        verification?: {
                            scheme: "acuity";
                            secret: string | string[];
                        } | {
                            scheme: "adyen";
                            secret: string | string[];
                        } | {
                            scheme: "airtable";
                            secret: string | string[];
                        } | {
                            scheme: "alchemy";
                            secret: string | string[];
                        } | {
                            scheme: "asana";
                            secret?: string | string[];
                        } | {
                            scheme: "attio";
                            secret: string | string[];
                        } | {
                            scheme: "aws_sns";
                            topic_arn: string | string[];
                        } | {
                            scheme: "azure_event_grid";
                            secret: string | string[];
                        } | {
                            scheme: "basic_auth";
                            secret: string | string[];
                            username: string;
                        } | {
                            scheme: "bitbucket";
                            secret: string | string[];
                        } | {
                            scheme: "box";
                            secret: string | string[];
                        } | {
                            scheme: "btcpay";
                            secret: string | string[];
                        } | {
                            scheme: "buildkite";
                            secret: string | string[];
                        } | {
                            scheme: "cal_com";
                            secret: string | string[];
                        } | {
                            scheme: "calendly";
                            secret: string | string[];
                        } | {
                            scheme: "chargify";
                            secret: string | string[];
                        } | {
                            scheme: "checkout";
                            secret: string | string[];
                        } | {
                            scheme: "circle";
                            public_key: string | string[];
                        } | {
                            scheme: "circleci";
                            secret: string | string[];
                        } | {
                            scheme: "clickup";
                            secret: string | string[];
                        } | {
                            scheme: "close";
                            secret: string | string[];
                        } | {
                            scheme: "cloudflare";
                            secret: string | string[];
                        } | {
                            scheme: "cloudflare_stream";
                            secret: string | string[];
                        } | {
                            scheme: "cloudinary";
                            secret: string | string[];
                        } | {
                            scheme: "coinbase_commerce";
                            secret: string | string[];
                        } | {
                            scheme: "customer_io";
                            secret: string | string[];
                        } | {
                            scheme: "discord";
                            public_key: string | string[];
                        } | {
                            scheme: "discourse";
                            secret: string | string[];
                        } | {
                            scheme: "docusign";
                            secret: string | string[];
                        } | {
                            scheme: "doppler";
                            secret: string | string[];
                        } | {
                            scheme: "dropbox";
                            secret: string | string[];
                        } | {
                            scheme: "dwolla";
                            secret: string | string[];
                        } | {
                            scheme: "easypost";
                            secret: string | string[];
                        } | {
                            scheme: "ed25519";
                            public_key: string | string[];
                            header: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            encoding?: "hex" | "base64" | "base64url";
                            /** @default  */
                            prefix?: string;
                            separator?: string;
                            timestamp_header?: string;
                            timestamp_prefix?: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            timestamp_unit?: "seconds" | "milliseconds" | "iso" | "http";
                            id_header?: string;
                            signed_content?: string;
                        } | {
                            scheme: "elevenlabs";
                            secret: string | string[];
                        } | {
                            scheme: "expo";
                            secret: string | string[];
                        } | {
                            scheme: "fastspring";
                            secret: string | string[];
                        } | {
                            scheme: "figma";
                            secret: string | string[];
                        } | {
                            scheme: "fireblocks";
                            public_key: string | string[];
                        } | {
                            scheme: "flutterwave";
                            secret: string | string[];
                        } | {
                            scheme: "frame_io";
                            secret: string | string[];
                        } | {
                            scheme: "gitea";
                            secret: string | string[];
                        } | {
                            scheme: "github";
                            secret: string | string[];
                        } | {
                            scheme: "gitlab";
                            secret: string | string[];
                        } | {
                            scheme: "gocardless";
                            secret: string | string[];
                        } | {
                            scheme: "google_channel";
                            secret: string | string[];
                        } | {
                            scheme: "google_chat";
                            audience: string | string[];
                        } | {
                            scheme: "google_pubsub";
                            service_account: string | string[];
                            audience?: string;
                        } | {
                            scheme: "greenhouse";
                            secret: string | string[];
                        } | {
                            scheme: "hackerone";
                            secret: string | string[];
                        } | {
                            scheme: "hash";
                            secret: string | string[];
                            header: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            encoding?: "hex" | "base64" | "base64url";
                            /** @default  */
                            prefix?: string;
                            separator?: string;
                            timestamp_header?: string;
                            timestamp_prefix?: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            timestamp_unit?: "seconds" | "milliseconds" | "iso" | "http";
                            id_header?: string;
                            signed_content: string;
                            /** @enum {string} */
                            algorithm: "keccak256" | "sha256" | "sha512" | "sha1";
                        } | {
                            scheme: "help_scout";
                            secret: string | string[];
                        } | {
                            scheme: "heroku";
                            secret: string | string[];
                        } | {
                            scheme: "hmac";
                            secret: string | string[];
                            header: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            encoding?: "hex" | "base64" | "base64url";
                            /** @default  */
                            prefix?: string;
                            separator?: string;
                            timestamp_header?: string;
                            timestamp_prefix?: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            timestamp_unit?: "seconds" | "milliseconds" | "iso" | "http";
                            id_header?: string;
                            signed_content?: string;
                            /**
                             * @default sha256
                             * @enum {string}
                             */
                            algorithm?: "sha256" | "sha512" | "sha1";
                        } | {
                            scheme: "hubspot";
                            secret: string | string[];
                        } | {
                            scheme: "huggingface";
                            secret: string | string[];
                        } | {
                            scheme: "increase";
                            secret: string | string[];
                        } | {
                            scheme: "intercom";
                            secret: string | string[];
                        } | {
                            scheme: "jira";
                            secret: string | string[];
                        } | {
                            scheme: "jwks";
                            jwks_url: string | string[];
                            /** @default authorization */
                            header?: string;
                            issuer?: string;
                            audience?: string;
                            body_hash_claim?: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            body_hash_encoding?: "hex" | "base64" | "base64url";
                            /** @default false */
                            detached?: boolean;
                        } | {
                            scheme: "jwt";
                            secret: string | string[];
                            /** @default authorization */
                            header?: string;
                            issuer?: string;
                            audience?: string;
                            body_hash_claim?: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            body_hash_encoding?: "hex" | "base64" | "base64url";
                            /** @default false */
                            detached?: boolean;
                        } | {
                            scheme: "launchdarkly";
                            secret: string | string[];
                        } | {
                            scheme: "lemon_squeezy";
                            secret: string | string[];
                        } | {
                            scheme: "line";
                            secret: string | string[];
                        } | {
                            scheme: "linear";
                            secret: string | string[];
                        } | {
                            scheme: "livekit";
                            secret: string | string[];
                        } | {
                            scheme: "mailgun";
                            secret: string | string[];
                        } | {
                            scheme: "messagebird";
                            secret: string | string[];
                        } | {
                            scheme: "meta";
                            secret: string | string[];
                            verify_token?: string;
                        } | {
                            scheme: "microsoft_graph";
                            secret: string | string[];
                        } | {
                            scheme: "microsoft_teams";
                            secret: string | string[];
                        } | {
                            scheme: "modern_treasury";
                            secret: string | string[];
                        } | {
                            scheme: "monday";
                            secret: string | string[];
                        } | {
                            scheme: "mongodb_atlas";
                            secret: string | string[];
                        } | {
                            scheme: "moonpay";
                            secret: string | string[];
                        } | {
                            scheme: "moralis";
                            secret: string | string[];
                        } | {
                            scheme: "mux";
                            secret: string | string[];
                        } | {
                            scheme: "netlify";
                            secret: string | string[];
                        } | {
                            scheme: "notion";
                            secret: string | string[];
                        } | {
                            scheme: "nylas";
                            secret: string | string[];
                        } | {
                            scheme: "okta";
                            secret: string | string[];
                        } | {
                            scheme: "onfido";
                            secret: string | string[];
                        } | {
                            scheme: "paddle";
                            secret: string | string[];
                        } | {
                            scheme: "pagerduty";
                            secret: string | string[];
                        } | {
                            scheme: "pandadoc";
                            secret: string | string[];
                        } | {
                            scheme: "paypal";
                            webhook_id: string | string[];
                        } | {
                            scheme: "paystack";
                            secret: string | string[];
                        } | {
                            scheme: "plaid";
                            secret: string | string[];
                            client_id: string;
                            /**
                             * @default production
                             * @enum {string}
                             */
                            environment?: "production" | "sandbox";
                        } | {
                            scheme: "planetscale";
                            secret: string | string[];
                        } | {
                            scheme: "public_key";
                            public_key: string | string[];
                            header: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            encoding?: "hex" | "base64" | "base64url";
                            /** @default  */
                            prefix?: string;
                            separator?: string;
                            timestamp_header?: string;
                            timestamp_prefix?: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            timestamp_unit?: "seconds" | "milliseconds" | "iso" | "http";
                            id_header?: string;
                            signed_content?: string;
                            /**
                             * @default sha256
                             * @enum {string}
                             */
                            algorithm?: "sha256" | "sha512" | "sha1";
                            /**
                             * @default der
                             * @enum {string}
                             */
                            signature_format?: "der" | "raw";
                        } | {
                            scheme: "pulumi";
                            secret: string | string[];
                        } | {
                            scheme: "pusher";
                            secret: string | string[];
                        } | {
                            scheme: "quickbooks";
                            secret: string | string[];
                        } | {
                            scheme: "quicknode";
                            secret: string | string[];
                        } | {
                            scheme: "razorpay";
                            secret: string | string[];
                        } | {
                            scheme: "ringcentral";
                            secret: string | string[];
                        } | {
                            scheme: "sanity";
                            secret: string | string[];
                        } | {
                            scheme: "segment";
                            secret: string | string[];
                        } | {
                            scheme: "semaphore";
                            secret: string | string[];
                        } | {
                            scheme: "sendgrid";
                            public_key: string | string[];
                        } | {
                            scheme: "sentry";
                            secret: string | string[];
                        } | {
                            scheme: "shared_secret";
                            secret: string | string[];
                            header?: string;
                            query?: string;
                            /** @default  */
                            prefix?: string;
                        } | {
                            scheme: "shopify";
                            secret: string | string[];
                        } | {
                            scheme: "shortcut";
                            secret: string | string[];
                        } | {
                            scheme: "slack";
                            secret: string | string[];
                        } | {
                            scheme: "smartsheet";
                            secret: string | string[];
                        } | {
                            scheme: "snyk";
                            secret: string | string[];
                        } | {
                            scheme: "sonar";
                            secret: string | string[];
                        } | {
                            scheme: "square";
                            secret: string | string[];
                        } | {
                            scheme: "standard_webhooks";
                            secret: string | string[];
                        } | {
                            scheme: "stripe";
                            secret: string | string[];
                        } | {
                            scheme: "svix";
                            secret: string | string[];
                        } | {
                            scheme: "tailscale";
                            secret: string | string[];
                        } | {
                            scheme: "tally";
                            secret: string | string[];
                        } | {
                            scheme: "telegram";
                            secret: string | string[];
                        } | {
                            scheme: "telnyx";
                            public_key: string | string[];
                        } | {
                            scheme: "tenderly";
                            secret: string | string[];
                        } | {
                            scheme: "terraform";
                            secret: string | string[];
                        } | {
                            scheme: "todoist";
                            secret: string | string[];
                        } | {
                            scheme: "trello";
                            secret: string | string[];
                        } | {
                            scheme: "twilio";
                            secret: string | string[];
                        } | {
                            scheme: "twitch";
                            secret: string | string[];
                        } | {
                            scheme: "typeform";
                            secret: string | string[];
                        } | {
                            scheme: "uber";
                            secret: string | string[];
                        } | {
                            scheme: "vercel";
                            secret: string | string[];
                        } | {
                            scheme: "viber";
                            secret: string | string[];
                        } | {
                            scheme: "vonage";
                            secret: string | string[];
                        } | {
                            scheme: "webex";
                            secret: string | string[];
                        } | {
                            scheme: "webflow";
                            secret: string | string[];
                        } | {
                            scheme: "wise";
                            public_key: string | string[];
                        } | {
                            scheme: "woocommerce";
                            secret: string | string[];
                        } | {
                            scheme: "workos";
                            secret: string | string[];
                        } | {
                            scheme: "x";
                            secret: string | string[];
                        } | {
                            scheme: "xendit";
                            secret: string | string[];
                        } | {
                            scheme: "xero";
                            secret: string | string[];
                        } | {
                            scheme: "zendesk";
                            secret: string | string[];
                        } | {
                            scheme: "zoom";
                            secret: string | string[];
                        };
                        delivery_header?: string;
                        /** @enum {string} */
                        dedupe_by?: "id" | "body";
                        reply?: {
                            /** @default 200 */
                            status?: number;
                            /** @default text/plain */
                            content_type?: string;
                            /** @default  */
                            body?: string;
                        };
                        respond?: "result";
                        respond_within_ms?: number;
                        if?: string;
                        challenge?: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method?: "GET" | "POST";
                            /** @enum {string} */
                            in: "query" | "header" | "body";
                            name: string;
                            /** @enum {string} */
                            reply: "text" | "json";
                            field?: string;
                        } | {
                            /**
                             * @default POST
                             * @enum {string}
                             */
                            method?: "GET" | "POST";
                            in: "header";
                            name: string & (unknown & unknown);
                            reply: "header";
                        };
                    } | null;
                } | {
                    /** @description At most 128 bytes in UTF-8. */
                    name: string;
                    action_code?: string | null;
                    action_cid?: string | null;
                    /** @description Parameters of every run, up to 256 KiB. Parameters of the event override them. */
                    default_params?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description A usage key that may execute the action. Stored encrypted, never returned. */
                    usage_api_key: string;
                    /** @description Maximum number of runs accepted in any 60 seconds. */
                    max_runs_per_minute?: number;
                    /** @description Maximum number of queued runs. */
                    max_queued_runs?: number;
                    /** @description Maximum number of concurrent runs. */
                    max_concurrent_runs?: number;
                    /** @description Maximum number of runs that start in any 60 seconds. Further ones wait. */
                    throttle_per_minute?: number | null;
                    /** @description Path into the input, such as `event.order.id`. Runs with an equal value there run one after another, in the order of acceptance. With `{path, scope: "account"}` they also wait for runs of other triggers of the account and for direct runs that name the value as their `concurrency_key`; with `{value}` all runs have that one key, for example the address of a wallet. */
                    concurrency_key?: (string | {
                        path: string;
                        /** @enum {string} */
                        scope: "trigger" | "account";
                    } | {
                        value: string;
                    }) | null;
                    /** @description A run starts only after so many seconds without a newer event of its `concurrency_key`. A newer event replaces it: its status is `skipped`. */
                    debounce_seconds?: number | null;
                    /** @description A paused webhook trigger keeps accepting deliveries, which run when it is enabled, instead of replying 410. */
                    hold_when_paused?: boolean;
                    /** @description Failed runs in a row after which the service pauses the trigger. Null for never. */
                    pause_after_failures?: number | null;
                    enabled?: boolean;
                    /** @enum {string} */
                    kind: "schedule";
                    config: {
                        cron: string;
                        /** @default UTC */
                        timezone?: string;
                        /**
                         * @default one
                         * @enum {string}
                         */
                        missed?: "skip" | "one" | "all";
                    };
                } | {
                    /** @description At most 128 bytes in UTF-8. */
                    name: string;
                    action_code?: string | null;
                    action_cid?: string | null;
                    /** @description Parameters of every run, up to 256 KiB. Parameters of the event override them. */
                    default_params?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description A usage key that may execute the action. Stored encrypted, never returned. */
                    usage_api_key: string;
                    /** @description Maximum number of runs accepted in any 60 seconds. */
                    max_runs_per_minute?: number;
                    /** @description Maximum number of queued runs. */
                    max_queued_runs?: number;
                    /** @description Maximum number of concurrent runs. */
                    max_concurrent_runs?: number;
                    /** @description Maximum number of runs that start in any 60 seconds. Further ones wait. */
                    throttle_per_minute?: number | null;
                    /** @description Path into the input, such as `event.order.id`. Runs with an equal value there run one after another, in the order of acceptance. With `{path, scope: "account"}` they also wait for runs of other triggers of the account and for direct runs that name the value as their `concurrency_key`; with `{value}` all runs have that one key, for example the address of a wallet. */
                    concurrency_key?: (string | {
                        path: string;
                        /** @enum {string} */
                        scope: "trigger" | "account";
                    } | {
                        value: string;
                    }) | null;
                    /** @description A run starts only after so many seconds without a newer event of its `concurrency_key`. A newer event replaces it: its status is `skipped`. */
                    debounce_seconds?: number | null;
                    /** @description A paused webhook trigger keeps accepting deliveries, which run when it is enabled, instead of replying 410. */
                    hold_when_paused?: boolean;
                    /** @description Failed runs in a row after which the service pauses the trigger. Null for never. */
                    pause_after_failures?: number | null;
                    enabled?: boolean;
                    /** @enum {string} */
                    kind: "chain_event" | "chain-event";
                    config: {
                        chain: string | number;
                        confirmations?: number;
                        fire_on_retraction?: boolean;
                        /**
                         * @default drop
                         * @enum {string}
                         */
                        paused_events?: "drop" | "fire";
                        if?: string;
                        contract_address?: string;
                        contract_addresses?: string[];
                        factory?: {
                            address: string;
                            event: string;
                            parameter: string;
                            start_block?: number | string | null;
                        };
                        event_signature: string;
                        topic_filters?: (string | string[] | null)[];
                        start_block?: number | string | null;
                    };
                } | {
                    /** @description At most 128 bytes in UTF-8. */
                    name: string;
                    action_code?: string | null;
                    action_cid?: string | null;
                    /** @description Parameters of every run, up to 256 KiB. Parameters of the event override them. */
                    default_params?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description A usage key that may execute the action. Stored encrypted, never returned. */
                    usage_api_key: string;
                    /** @description Maximum number of runs accepted in any 60 seconds. */
                    max_runs_per_minute?: number;
                    /** @description Maximum number of queued runs. */
                    max_queued_runs?: number;
                    /** @description Maximum number of concurrent runs. */
                    max_concurrent_runs?: number;
                    /** @description Maximum number of runs that start in any 60 seconds. Further ones wait. */
                    throttle_per_minute?: number | null;
                    /** @description Path into the input, such as `event.order.id`. Runs with an equal value there run one after another, in the order of acceptance. With `{path, scope: "account"}` they also wait for runs of other triggers of the account and for direct runs that name the value as their `concurrency_key`; with `{value}` all runs have that one key, for example the address of a wallet. */
                    concurrency_key?: (string | {
                        path: string;
                        /** @enum {string} */
                        scope: "trigger" | "account";
                    } | {
                        value: string;
                    }) | null;
                    /** @description A run starts only after so many seconds without a newer event of its `concurrency_key`. A newer event replaces it: its status is `skipped`. */
                    debounce_seconds?: number | null;
                    /** @description A paused webhook trigger keeps accepting deliveries, which run when it is enabled, instead of replying 410. */
                    hold_when_paused?: boolean;
                    /** @description Failed runs in a row after which the service pauses the trigger. Null for never. */
                    pause_after_failures?: number | null;
                    enabled?: boolean;
                    /** @enum {string} */
                    kind: "chain_block";
                    config: {
                        chain: string | number;
                        confirmations?: number;
                        fire_on_retraction?: boolean;
                        /**
                         * @default drop
                         * @enum {string}
                         */
                        paused_events?: "drop" | "fire";
                        if?: string;
                        every?: number;
                        base_fee?: {
                            above?: string;
                            below?: string;
                        };
                        balance?: {
                            above?: string;
                            below?: string;
                            address: string;
                            token?: string | null;
                            every?: number;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1c2a4e-9b1d-4c57-8a39-2f0e5d7c6b11",
                     *       "name": "every morning",
                     *       "kind": "schedule",
                     *       "action_code": "const main = ({ scheduled_at }) => scheduled_at",
                     *       "action_cid": null,
                     *       "usage_key_hash": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1",
                     *       "default_params": {},
                     *       "max_runs_per_minute": 60,
                     *       "max_queued_runs": 100,
                     *       "max_concurrent_runs": 4,
                     *       "throttle_per_minute": null,
                     *       "concurrency_key": null,
                     *       "debounce_seconds": null,
                     *       "hold_when_paused": false,
                     *       "pause_after_failures": null,
                     *       "config": {
                     *         "cron": "0 9 * * *",
                     *         "timezone": "Europe/Berlin"
                     *       },
                     *       "enabled": true,
                     *       "consecutive_failures": 0,
                     *       "paused_reason": null,
                     *       "held": null,
                     *       "filter_error": null,
                     *       "next_runs": [
                     *         "2026-11-02T08:00:00.000Z"
                     *       ],
                     *       "created_at": "2026-11-01T09:00:00.000Z",
                     *       "updated_at": "2026-11-01T09:00:00.000Z",
                     *       "warnings": []
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        /** @enum {string} */
                        kind: "webhook" | "schedule" | "chain_event" | "chain_block";
                        action_code: string | null;
                        action_cid: string | null;
                        /** @description Hash of the usage key. Null when the stored key cannot be decrypted: set it again. */
                        usage_key_hash: string | null;
                        default_params: {
                            [key: string]: unknown;
                        };
                        max_runs_per_minute: number;
                        max_queued_runs: number;
                        max_concurrent_runs: number;
                        throttle_per_minute: number | null;
                        concurrency_key: (string | {
                            path: string;
                            /** @enum {string} */
                            scope: "trigger" | "account";
                        } | {
                            value: string;
                        }) | null;
                        debounce_seconds: number | null;
                        hold_when_paused: boolean;
                        pause_after_failures: number | null;
                        config: {
                            [key: string]: unknown;
                        };
                        enabled: boolean;
                        /** @description Number of failed runs since the last success. */
                        consecutive_failures: number;
                        /** @description Reason for which the service disabled the trigger, until it is enabled again. */
                        paused_reason: string | null;
                        /** @description Set while the runs of the trigger wait: its account has no credit, or the service has not executed a run for a day. */
                        held: ("payment_required" | "service_unavailable") | null;
                        /** @description Last error of `config.if`, since the config was changed. The event fired no run. */
                        filter_error: {
                            message: string;
                            /** Format: date-time */
                            at: string;
                        } | null;
                        /** @description URL of a webhook trigger. */
                        webhook_url?: string;
                        /** @description Next five slots of a schedule trigger. Empty while it is paused. */
                        next_runs?: string[];
                        /** @description In the reply to a GET of an enabled trigger that follows a chain: the node in use, by its position in the setting; the newest block; the seconds since the nodes returned it; and why blocks are not read. */
                        follower?: {
                            node: number;
                            last_block: number | null;
                            lag_sec: number;
                            error: string | null;
                            error_since: string | null;
                        };
                        /** @description In the reply to a GET of a chain-event trigger with a factory: the children that it follows. Children that are announced when there are `max` are not followed. */
                        children?: {
                            count: number;
                            max: number;
                        };
                        /** @description In the reply to a PATCH of a trigger that follows a chain, when it changes `config` or resumes it: the blocks that are read up to now. Empty when `from_block` is greater. */
                        reads?: {
                            from_block: number;
                            to_block: number;
                        };
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        updated_at: string;
                        /** @description Reasons for which runs would fail now. Empty when every check passed. */
                        warnings: {
                            /** @enum {string} */
                            code: "usage_key_unknown" | "not_permitted" | "cid_unknown" | "contract_without_code" | "not_checked";
                            message: string;
                        }[];
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_triggers_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        /** @enum {string} */
                        kind: "webhook" | "schedule" | "chain_event" | "chain_block";
                        action_code: string | null;
                        action_cid: string | null;
                        /** @description Hash of the usage key. Null when the stored key cannot be decrypted: set it again. */
                        usage_key_hash: string | null;
                        default_params: {
                            [key: string]: unknown;
                        };
                        max_runs_per_minute: number;
                        max_queued_runs: number;
                        max_concurrent_runs: number;
                        throttle_per_minute: number | null;
                        concurrency_key: (string | {
                            path: string;
                            /** @enum {string} */
                            scope: "trigger" | "account";
                        } | {
                            value: string;
                        }) | null;
                        debounce_seconds: number | null;
                        hold_when_paused: boolean;
                        pause_after_failures: number | null;
                        config: {
                            [key: string]: unknown;
                        };
                        enabled: boolean;
                        /** @description Number of failed runs since the last success. */
                        consecutive_failures: number;
                        /** @description Reason for which the service disabled the trigger, until it is enabled again. */
                        paused_reason: string | null;
                        /** @description Set while the runs of the trigger wait: its account has no credit, or the service has not executed a run for a day. */
                        held: ("payment_required" | "service_unavailable") | null;
                        /** @description Last error of `config.if`, since the config was changed. The event fired no run. */
                        filter_error: {
                            message: string;
                            /** Format: date-time */
                            at: string;
                        } | null;
                        /** @description URL of a webhook trigger. */
                        webhook_url?: string;
                        /** @description Next five slots of a schedule trigger. Empty while it is paused. */
                        next_runs?: string[];
                        /** @description In the reply to a GET of an enabled trigger that follows a chain: the node in use, by its position in the setting; the newest block; the seconds since the nodes returned it; and why blocks are not read. */
                        follower?: {
                            node: number;
                            last_block: number | null;
                            lag_sec: number;
                            error: string | null;
                            error_since: string | null;
                        };
                        /** @description In the reply to a GET of a chain-event trigger with a factory: the children that it follows. Children that are announced when there are `max` are not followed. */
                        children?: {
                            count: number;
                            max: number;
                        };
                        /** @description In the reply to a PATCH of a trigger that follows a chain, when it changes `config` or resumes it: the blocks that are read up to now. Empty when `from_block` is greater. */
                        reads?: {
                            from_block: number;
                            to_block: number;
                        };
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_triggers_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: true;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_api_triggers_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description At most 128 bytes in UTF-8. */
                    name?: string;
                    action_code?: string | null;
                    action_cid?: string | null;
                    /** @description Parameters of every run, up to 256 KiB. Parameters of the event override them. */
                    default_params?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description A usage key that may execute the action. Stored encrypted, never returned. */
                    usage_api_key?: string;
                    /** @description Maximum number of runs accepted in any 60 seconds. */
                    max_runs_per_minute?: number;
                    /** @description Maximum number of queued runs. */
                    max_queued_runs?: number;
                    /** @description Maximum number of concurrent runs. */
                    max_concurrent_runs?: number;
                    /** @description Maximum number of runs that start in any 60 seconds. Further ones wait. */
                    throttle_per_minute?: number | null;
                    /** @description Path into the input, such as `event.order.id`. Runs with an equal value there run one after another, in the order of acceptance. With `{path, scope: "account"}` they also wait for runs of other triggers of the account and for direct runs that name the value as their `concurrency_key`; with `{value}` all runs have that one key, for example the address of a wallet. */
                    concurrency_key?: (string | {
                        path: string;
                        /** @enum {string} */
                        scope: "trigger" | "account";
                    } | {
                        value: string;
                    }) | null;
                    /** @description A run starts only after so many seconds without a newer event of its `concurrency_key`. A newer event replaces it: its status is `skipped`. */
                    debounce_seconds?: number | null;
                    /** @description A paused webhook trigger keeps accepting deliveries, which run when it is enabled, instead of replying 410. */
                    hold_when_paused?: boolean;
                    /** @description Failed runs in a row after which the service pauses the trigger. Null for never. */
                    pause_after_failures?: number | null;
                    enabled?: boolean;
                    kind?: "webhook" | "schedule" | ("chain_event" | "chain-event") | "chain_block";
                    /** @description Configuration of the kind that the trigger has after the change. Replaces the whole config. */
                    config?: ({
                        verification?: {
                            scheme: "acuity";
                            secret: string | string[];
                        } | {
                            scheme: "adyen";
                            secret: string | string[];
                        } | {
                            scheme: "airtable";
                            secret: string | string[];
                        } | {
                            scheme: "alchemy";
                            secret: string | string[];
                        } | {
                            scheme: "asana";
                            secret?: string | string[];
                        } | {
                            scheme: "attio";
                            secret: string | string[];
                        } | {
                            scheme: "aws_sns";
                            topic_arn: string | string[];
                        } | {
                            scheme: "azure_event_grid";
                            secret: string | string[];
                        } | {
                            scheme: "basic_auth";
                            secret: string | string[];
                            username: string;
                        } | {
                            scheme: "bitbucket";
                            secret: string | string[];
                        } | {
                            scheme: "box";
                            secret: string | string[];
                        } | {
                            scheme: "btcpay";
                            secret: string | string[];
                        } | {
                            scheme: "buildkite";
                            secret: string | string[];
                        } | {
                            scheme: "cal_com";
                            secret: string | string[];
                        } | {
                            scheme: "calendly";
                            secret: string | string[];
                        } | {
                            scheme: "chargify";
                            secret: string | string[];
                        } | {
                            scheme: "checkout";
                            secret: string | string[];
                        } | {
                            scheme: "circle";
                            public_key: string | string[];
                        } | {
                            scheme: "circleci";
                            secret: string | string[];
                        } | {
                            scheme: "clickup";
                            secret: string | string[];
                        } | {
                            scheme: "close";
                            secret: string | string[];
                        } | {
                            scheme: "cloudflare";
                            secret: string | string[];
                        } | {
                            scheme: "cloudflare_stream";
                            secret: string | string[];
                        } | {
                            scheme: "cloudinary";
                            secret: string | string[];
                        } | {
                            scheme: "coinbase_commerce";
                            secret: string | string[];
                        } | {
                            scheme: "customer_io";
                            secret: string | string[];
                        } | {
                            scheme: "discord";
                            public_key: string | string[];
                        } | {
                            scheme: "discourse";
                            secret: string | string[];
                        } | {
                            scheme: "docusign";
                            secret: string | string[];
                        } | {
                            scheme: "doppler";
                            secret: string | string[];
                        } | {
                            scheme: "dropbox";
                            secret: string | string[];
                        } | {
                            scheme: "dwolla";
                            secret: string | string[];
                        } | {
                            scheme: "easypost";
                            secret: string | string[];
                        } | {
                            scheme: "ed25519";
                            public_key: string | string[];
                            header: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            encoding?: "hex" | "base64" | "base64url";
                            /** @default  */
                            prefix?: string;
                            separator?: string;
                            timestamp_header?: string;
                            timestamp_prefix?: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            timestamp_unit?: "seconds" | "milliseconds" | "iso" | "http";
                            id_header?: string;
                            signed_content?: string;
                        } | {
                            scheme: "elevenlabs";
                            secret: string | string[];
                        } | {
                            scheme: "expo";
                            secret: string | string[];
                        } | {
                            scheme: "fastspring";
                            secret: string | string[];
                        } | {
                            scheme: "figma";
                            secret: string | string[];
                        } | {
                            scheme: "fireblocks";
                            public_key: string | string[];
                        } | {
                            scheme: "flutterwave";
                            secret: string | string[];
                        } | {
                            scheme: "frame_io";
                            secret: string | string[];
                        } | {
                            scheme: "gitea";
                            secret: string | string[];
                        } | {
                            scheme: "github";
                            secret: string | string[];
                        } | {
                            scheme: "gitlab";
                            secret: string | string[];
                        } | {
                            scheme: "gocardless";
                            secret: string | string[];
                        } | {
                            scheme: "google_channel";
                            secret: string | string[];
                        } | {
                            scheme: "google_chat";
                            audience: string | string[];
                        } | {
                            scheme: "google_pubsub";
                            service_account: string | string[];
                            audience?: string;
                        } | {
                            scheme: "greenhouse";
                            secret: string | string[];
                        } | {
                            scheme: "hackerone";
                            secret: string | string[];
                        } | {
                            scheme: "hash";
                            secret: string | string[];
                            header: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            encoding?: "hex" | "base64" | "base64url";
                            /** @default  */
                            prefix?: string;
                            separator?: string;
                            timestamp_header?: string;
                            timestamp_prefix?: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            timestamp_unit?: "seconds" | "milliseconds" | "iso" | "http";
                            id_header?: string;
                            signed_content: string;
                            /** @enum {string} */
                            algorithm: "keccak256" | "sha256" | "sha512" | "sha1";
                        } | {
                            scheme: "help_scout";
                            secret: string | string[];
                        } | {
                            scheme: "heroku";
                            secret: string | string[];
                        } | {
                            scheme: "hmac";
                            secret: string | string[];
                            header: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            encoding?: "hex" | "base64" | "base64url";
                            /** @default  */
                            prefix?: string;
                            separator?: string;
                            timestamp_header?: string;
                            timestamp_prefix?: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            timestamp_unit?: "seconds" | "milliseconds" | "iso" | "http";
                            id_header?: string;
                            signed_content?: string;
                            /**
                             * @default sha256
                             * @enum {string}
                             */
                            algorithm?: "sha256" | "sha512" | "sha1";
                        } | {
                            scheme: "hubspot";
                            secret: string | string[];
                        } | {
                            scheme: "huggingface";
                            secret: string | string[];
                        } | {
                            scheme: "increase";
                            secret: string | string[];
                        } | {
                            scheme: "intercom";
                            secret: string | string[];
                        } | {
                            scheme: "jira";
                            secret: string | string[];
                        } | {
                            scheme: "jwks";
                            jwks_url: string | string[];
                            /** @default authorization */
                            header?: string;
                            issuer?: string;
                            audience?: string;
                            body_hash_claim?: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            body_hash_encoding?: "hex" | "base64" | "base64url";
                            /** @default false */
                            detached?: boolean;
                        } | {
                            scheme: "jwt";
                            secret: string | string[];
                            /** @default authorization */
                            header?: string;
                            issuer?: string;
                            audience?: string;
                            body_hash_claim?: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            body_hash_encoding?: "hex" | "base64" | "base64url";
                            /** @default false */
                            detached?: boolean;
                        } | {
                            scheme: "launchdarkly";
                            secret: string | string[];
                        } | {
                            scheme: "lemon_squeezy";
                            secret: string | string[];
                        } | {
                            scheme: "line";
                            secret: string | string[];
                        } | {
                            scheme: "linear";
                            secret: string | string[];
                        } | {
                            scheme: "livekit";
                            secret: string | string[];
                        } | {
                            scheme: "mailgun";
                            secret: string | string[];
                        } | {
                            scheme: "messagebird";
                            secret: string | string[];
                        } | {
                            scheme: "meta";
                            secret: string | string[];
                            verify_token?: string;
                        } | {
                            scheme: "microsoft_graph";
                            secret: string | string[];
                        } | {
                            scheme: "microsoft_teams";
                            secret: string | string[];
                        } | {
                            scheme: "modern_treasury";
                            secret: string | string[];
                        } | {
                            scheme: "monday";
                            secret: string | string[];
                        } | {
                            scheme: "mongodb_atlas";
                            secret: string | string[];
                        } | {
                            scheme: "moonpay";
                            secret: string | string[];
                        } | {
                            scheme: "moralis";
                            secret: string | string[];
                        } | {
                            scheme: "mux";
                            secret: string | string[];
                        } | {
                            scheme: "netlify";
                            secret: string | string[];
                        } | {
                            scheme: "notion";
                            secret: string | string[];
                        } | {
                            scheme: "nylas";
                            secret: string | string[];
                        } | {
                            scheme: "okta";
                            secret: string | string[];
                        } | {
                            scheme: "onfido";
                            secret: string | string[];
                        } | {
                            scheme: "paddle";
                            secret: string | string[];
                        } | {
                            scheme: "pagerduty";
                            secret: string | string[];
                        } | {
                            scheme: "pandadoc";
                            secret: string | string[];
                        } | {
                            scheme: "paypal";
                            webhook_id: string | string[];
                        } | {
                            scheme: "paystack";
                            secret: string | string[];
                        } | {
                            scheme: "plaid";
                            secret: string | string[];
                            client_id: string;
                            /**
                             * @default production
                             * @enum {string}
                             */
                            environment?: "production" | "sandbox";
                        } | {
                            scheme: "planetscale";
                            secret: string | string[];
                        } | {
                            scheme: "public_key";
                            public_key: string | string[];
                            header: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            encoding?: "hex" | "base64" | "base64url";
                            /** @default  */
                            prefix?: string;
                            separator?: string;
                            timestamp_header?: string;
                            timestamp_prefix?: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            timestamp_unit?: "seconds" | "milliseconds" | "iso" | "http";
                            id_header?: string;
                            signed_content?: string;
                            /**
                             * @default sha256
                             * @enum {string}
                             */
                            algorithm?: "sha256" | "sha512" | "sha1";
                            /**
                             * @default der
                             * @enum {string}
                             */
                            signature_format?: "der" | "raw";
                        } | {
                            scheme: "pulumi";
                            secret: string | string[];
                        } | {
                            scheme: "pusher";
                            secret: string | string[];
                        } | {
                            scheme: "quickbooks";
                            secret: string | string[];
                        } | {
                            scheme: "quicknode";
                            secret: string | string[];
                        } | {
                            scheme: "razorpay";
                            secret: string | string[];
                        } | {
                            scheme: "ringcentral";
                            secret: string | string[];
                        } | {
                            scheme: "sanity";
                            secret: string | string[];
                        } | {
                            scheme: "segment";
                            secret: string | string[];
                        } | {
                            scheme: "semaphore";
                            secret: string | string[];
                        } | {
                            scheme: "sendgrid";
                            public_key: string | string[];
                        } | {
                            scheme: "sentry";
                            secret: string | string[];
                        } | {
                            scheme: "shared_secret";
                            secret: string | string[];
                            header?: string;
                            query?: string;
                            /** @default  */
                            prefix?: string;
                        } | {
                            scheme: "shopify";
                            secret: string | string[];
                        } | {
                            scheme: "shortcut";
                            secret: string | string[];
                        } | {
                            scheme: "slack";
                            secret: string | string[];
                        } | {
                            scheme: "smartsheet";
                            secret: string | string[];
                        } | {
                            scheme: "snyk";
                            secret: string | string[];
                        } | {
                            scheme: "sonar";
                            secret: string | string[];
                        } | {
                            scheme: "square";
                            secret: string | string[];
                        } | {
                            scheme: "standard_webhooks";
                            secret: string | string[];
                        } | {
                            scheme: "stripe";
                            secret: string | string[];
                        } | {
                            scheme: "svix";
                            secret: string | string[];
                        } | {
                            scheme: "tailscale";
                            secret: string | string[];
                        } | {
                            scheme: "tally";
                            secret: string | string[];
                        } | {
                            scheme: "telegram";
                            secret: string | string[];
                        } | {
                            scheme: "telnyx";
                            public_key: string | string[];
                        } | {
                            scheme: "tenderly";
                            secret: string | string[];
                        } | {
                            scheme: "terraform";
                            secret: string | string[];
                        } | {
                            scheme: "todoist";
                            secret: string | string[];
                        } | {
                            scheme: "trello";
                            secret: string | string[];
                        } | {
                            scheme: "twilio";
                            secret: string | string[];
                        } | {
                            scheme: "twitch";
                            secret: string | string[];
                        } | {
                            scheme: "typeform";
                            secret: string | string[];
                        } | {
                            scheme: "uber";
                            secret: string | string[];
                        } | {
                            scheme: "vercel";
                            secret: string | string[];
                        } | {
                            scheme: "viber";
                            secret: string | string[];
                        } | {
                            scheme: "vonage";
                            secret: string | string[];
                        } | {
                            scheme: "webex";
                            secret: string | string[];
                        } | {
                            scheme: "webflow";
                            secret: string | string[];
                        } | {
                            scheme: "wise";
                            public_key: string | string[];
                        } | {
                            scheme: "woocommerce";
                            secret: string | string[];
                        } | {
                            scheme: "workos";
                            secret: string | string[];
                        } | {
                            scheme: "x";
                            secret: string | string[];
                        } | {
                            scheme: "xendit";
                            secret: string | string[];
                        } | {
                            scheme: "xero";
                            secret: string | string[];
                        } | {
                            scheme: "zendesk";
                            secret: string | string[];
                        } | {
                            scheme: "zoom";
                            secret: string | string[];
                        };
                        delivery_header?: string;
                        /** @enum {string} */
                        dedupe_by?: "id" | "body";
                        reply?: {
                            /** @default 200 */
                            status?: number;
                            /** @default text/plain */
                            content_type?: string;
                            /** @default  */
                            body?: string;
                        };
                        respond?: "result";
                        respond_within_ms?: number;
                        if?: string;
                        challenge?: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method?: "GET" | "POST";
                            /** @enum {string} */
                            in: "query" | "header" | "body";
                            name: string;
                            /** @enum {string} */
                            reply: "text" | "json";
                            field?: string;
                        } | {
                            /**
                             * @default POST
                             * @enum {string}
                             */
                            method?: "GET" | "POST";
                            in: "header";
                            name: string & (unknown & unknown);
                            reply: "header";
                        };
                    } | {
                        cron: string;
                        /** @default UTC */
                        timezone?: string;
                        /**
                         * @default one
                         * @enum {string}
                         */
                        missed?: "skip" | "one" | "all";
                    } | {
                        chain: string | number;
                        confirmations?: number;
                        fire_on_retraction?: boolean;
                        /**
                         * @default drop
                         * @enum {string}
                         */
                        paused_events?: "drop" | "fire";
                        if?: string;
                        contract_address?: string;
                        contract_addresses?: string[];
                        factory?: {
                            address: string;
                            event: string;
                            parameter: string;
                            start_block?: number | string | null;
                        };
                        event_signature: string;
                        topic_filters?: (string | string[] | null)[];
                        start_block?: number | string | null;
                    } | {
                        chain: string | number;
                        confirmations?: number;
                        fire_on_retraction?: boolean;
                        /**
                         * @default drop
                         * @enum {string}
                         */
                        paused_events?: "drop" | "fire";
                        if?: string;
                        every?: number;
                        base_fee?: {
                            above?: string;
                            below?: string;
                        };
                        balance?: {
                            above?: string;
                            below?: string;
                            address: string;
                            token?: string | null;
                            every?: number;
                        };
                    }) | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        /** @enum {string} */
                        kind: "webhook" | "schedule" | "chain_event" | "chain_block";
                        action_code: string | null;
                        action_cid: string | null;
                        /** @description Hash of the usage key. Null when the stored key cannot be decrypted: set it again. */
                        usage_key_hash: string | null;
                        default_params: {
                            [key: string]: unknown;
                        };
                        max_runs_per_minute: number;
                        max_queued_runs: number;
                        max_concurrent_runs: number;
                        throttle_per_minute: number | null;
                        concurrency_key: (string | {
                            path: string;
                            /** @enum {string} */
                            scope: "trigger" | "account";
                        } | {
                            value: string;
                        }) | null;
                        debounce_seconds: number | null;
                        hold_when_paused: boolean;
                        pause_after_failures: number | null;
                        config: {
                            [key: string]: unknown;
                        };
                        enabled: boolean;
                        /** @description Number of failed runs since the last success. */
                        consecutive_failures: number;
                        /** @description Reason for which the service disabled the trigger, until it is enabled again. */
                        paused_reason: string | null;
                        /** @description Set while the runs of the trigger wait: its account has no credit, or the service has not executed a run for a day. */
                        held: ("payment_required" | "service_unavailable") | null;
                        /** @description Last error of `config.if`, since the config was changed. The event fired no run. */
                        filter_error: {
                            message: string;
                            /** Format: date-time */
                            at: string;
                        } | null;
                        /** @description URL of a webhook trigger. */
                        webhook_url?: string;
                        /** @description Next five slots of a schedule trigger. Empty while it is paused. */
                        next_runs?: string[];
                        /** @description In the reply to a GET of an enabled trigger that follows a chain: the node in use, by its position in the setting; the newest block; the seconds since the nodes returned it; and why blocks are not read. */
                        follower?: {
                            node: number;
                            last_block: number | null;
                            lag_sec: number;
                            error: string | null;
                            error_since: string | null;
                        };
                        /** @description In the reply to a GET of a chain-event trigger with a factory: the children that it follows. Children that are announced when there are `max` are not followed. */
                        children?: {
                            count: number;
                            max: number;
                        };
                        /** @description In the reply to a PATCH of a trigger that follows a chain, when it changes `config` or resumes it: the blocks that are read up to now. Empty when `from_block` is greater. */
                        reads?: {
                            from_block: number;
                            to_block: number;
                        };
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        updated_at: string;
                        /** @description Reasons for which runs would fail now. Empty when every check passed. */
                        warnings: {
                            /** @enum {string} */
                            code: "usage_key_unknown" | "not_permitted" | "cid_unknown" | "contract_without_code" | "not_checked";
                            message: string;
                        }[];
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_triggers_id_test: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "input": {
                 *         "source": "test"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @default {} */
                    input?: {
                        [key: string]: unknown;
                    };
                    /** @default false */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "run_id": "0b9f6c1e-3d52-4e8a-9c47-7a1d2e3f4b55",
                     *       "status": "queued",
                     *       "matches": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description Absent after a dry run.
                         */
                        run_id?: string;
                        /** @enum {string} */
                        status: "queued" | "dry_run";
                        /** @description Whether such an event fires a run: true without an `if`. */
                        matches: boolean;
                        /** @description Why `if` cannot be evaluated. */
                        filter_error?: string;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_preview_schedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "config": {
                 *         "cron": "0 9 * * *",
                 *         "timezone": "Europe/Berlin"
                 *       }
                 *     }
                 */
                "application/json": {
                    config: {
                        cron: string;
                        /** @default UTC */
                        timezone?: string;
                        /**
                         * @default one
                         * @enum {string}
                         */
                        missed?: "skip" | "one" | "all";
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "next_runs": [
                     *         "2026-11-02T08:00:00.000Z"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Next five slots. */
                        next_runs: string[];
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_senders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        senders: {
                            scheme: string;
                            /** @description Field of `verification` with the key. */
                            key_field: string;
                            /** @description Other fields that `verification` must have. */
                            required_fields: string[];
                        }[];
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_triggers_id_runs: {
        parameters: {
            query?: {
                /** @description Maximum number of items. A page with more than 4 MiB of items ends earlier. */
                limit?: number;
                offset?: number;
                status?: "queued" | "running" | "success" | "failed" | "skipped";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        runs: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            trigger_id: string;
                            trigger_name: string;
                            /** @enum {string} */
                            status: "queued" | "running" | "success" | "failed" | "skipped";
                            input: {
                                [key: string]: unknown;
                            };
                            response: unknown;
                            /** @description Error of a failed run. Has a `stack` when the action threw. */
                            error: {
                                name: string;
                                message: string;
                                stack?: string;
                            } | null;
                            /** @description Cost of the run in micro-credits (1,000,000 micro-credits are 1 credit). Null before the run ends, and when the cost is unknown. */
                            cost_micros: number | null;
                            /** @description Number of requests to the relayer that count: an outage, a limit and missing credit cost none. */
                            attempt: number;
                            /** @description The approval that a queued run waits for, or with which the run went on. GET /core/v1/approval/{id} of the relayer shows it. */
                            approval_id: string | null;
                            /** @description Revision of the trigger that the run uses. */
                            revision: number | null;
                            /** @description CID of the code that ran. */
                            cid: string | null;
                            /** @description The relayer's record of the run. GET /core/v1/get_run of the relayer shows it. */
                            relayer_run_id: string | null;
                            /** @description Wall time of the run. */
                            duration_ms: number | null;
                            /** @description Slot of the schedule that fired the run. */
                            scheduled_for: string | null;
                            started_at: string | null;
                            finished_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            replay_of: string | null;
                            /** @description When a reorg dropped the log that fired the run. */
                            retracted_at: string | null;
                        }[];
                        /** @description Offset of the next page. Absent on the last page. */
                        next_offset?: number;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_triggers_id_replay: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-11-01T00:00:00.000Z",
                 *       "to": "2026-11-02T00:00:00.000Z",
                 *       "status": "failed"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Replays runs accepted at this time or later.
                     */
                    from?: string;
                    /**
                     * Format: date-time
                     * @description Replays runs accepted before this time.
                     */
                    to?: string;
                    /** @enum {string} */
                    status?: "success" | "failed" | "skipped";
                };
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "replayed": 3,
                     *       "remaining": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Number of new runs. */
                        replayed: number;
                        /** @description Number of matching runs that the limits left for a later request. */
                        remaining: number;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_runs: {
        parameters: {
            query?: {
                /** @description Maximum number of items. A page with more than 4 MiB of items ends earlier. */
                limit?: number;
                offset?: number;
                status?: "queued" | "running" | "success" | "failed" | "skipped";
                trigger_id?: string;
                /** @description Runs accepted at this time or later. */
                from?: string;
                /** @description Runs accepted before this time. */
                to?: string;
                /** @description Failed runs with this text in the name or message of the error. */
                error?: string;
                /** @description The run with this record at the relayer. */
                relayer_run_id?: string;
                /** @description Runs fired by the webhook delivery with this id. */
                delivery_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        runs: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            trigger_id: string;
                            trigger_name: string;
                            /** @enum {string} */
                            status: "queued" | "running" | "success" | "failed" | "skipped";
                            input: {
                                [key: string]: unknown;
                            };
                            response: unknown;
                            /** @description Error of a failed run. Has a `stack` when the action threw. */
                            error: {
                                name: string;
                                message: string;
                                stack?: string;
                            } | null;
                            /** @description Cost of the run in micro-credits (1,000,000 micro-credits are 1 credit). Null before the run ends, and when the cost is unknown. */
                            cost_micros: number | null;
                            /** @description Number of requests to the relayer that count: an outage, a limit and missing credit cost none. */
                            attempt: number;
                            /** @description The approval that a queued run waits for, or with which the run went on. GET /core/v1/approval/{id} of the relayer shows it. */
                            approval_id: string | null;
                            /** @description Revision of the trigger that the run uses. */
                            revision: number | null;
                            /** @description CID of the code that ran. */
                            cid: string | null;
                            /** @description The relayer's record of the run. GET /core/v1/get_run of the relayer shows it. */
                            relayer_run_id: string | null;
                            /** @description Wall time of the run. */
                            duration_ms: number | null;
                            /** @description Slot of the schedule that fired the run. */
                            scheduled_for: string | null;
                            started_at: string | null;
                            finished_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            replay_of: string | null;
                            /** @description When a reorg dropped the log that fired the run. */
                            retracted_at: string | null;
                        }[];
                        /** @description Offset of the next page. Absent on the last page. */
                        next_offset?: number;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_runs_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        /** Format: uuid */
                        trigger_id: string;
                        trigger_name: string;
                        /** @enum {string} */
                        status: "queued" | "running" | "success" | "failed" | "skipped";
                        input: {
                            [key: string]: unknown;
                        };
                        response: unknown;
                        /** @description Error of a failed run. Has a `stack` when the action threw. */
                        error: {
                            name: string;
                            message: string;
                            stack?: string;
                        } | null;
                        /** @description Cost of the run in micro-credits (1,000,000 micro-credits are 1 credit). Null before the run ends, and when the cost is unknown. */
                        cost_micros: number | null;
                        /** @description Number of requests to the relayer that count: an outage, a limit and missing credit cost none. */
                        attempt: number;
                        /** @description The approval that a queued run waits for, or with which the run went on. GET /core/v1/approval/{id} of the relayer shows it. */
                        approval_id: string | null;
                        /** @description Revision of the trigger that the run uses. */
                        revision: number | null;
                        /** @description CID of the code that ran. */
                        cid: string | null;
                        /** @description The relayer's record of the run. GET /core/v1/get_run of the relayer shows it. */
                        relayer_run_id: string | null;
                        /** @description Wall time of the run. */
                        duration_ms: number | null;
                        /** @description Slot of the schedule that fired the run. */
                        scheduled_for: string | null;
                        started_at: string | null;
                        finished_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        replay_of: string | null;
                        /** @description When a reorg dropped the log that fired the run. */
                        retracted_at: string | null;
                        logs: string | null;
                        attempts: {
                            number: number;
                            /** Format: date-time */
                            started_at: string;
                            /** Format: date-time */
                            finished_at: string;
                            /** @description HTTP status of the reply of the relayer, 0 when there was none. */
                            http_status: number;
                            message: string;
                        }[];
                    };
                    "text/event-stream": string;
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_runs_id_replay: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    input?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "run_id": "0b9f6c1e-3d52-4e8a-9c47-7a1d2e3f4b55",
                     *       "status": "queued"
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        run_id: string;
                        status: "queued";
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_runs_id_stop: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b9f6c1e-3d52-4e8a-9c47-7a1d2e3f4b55",
                     *       "trigger_id": "5d3c0b7e-90b1-4d7c-8f5e-2b1a6c9d8e7f",
                     *       "trigger_name": "orders",
                     *       "status": "failed",
                     *       "input": {},
                     *       "response": null,
                     *       "error": {
                     *         "name": "StoppedError",
                     *         "message": "the run was stopped before it began"
                     *       },
                     *       "cost_micros": null,
                     *       "attempt": 0,
                     *       "approval_id": null,
                     *       "revision": null,
                     *       "cid": null,
                     *       "relayer_run_id": null,
                     *       "duration_ms": null,
                     *       "scheduled_for": null,
                     *       "started_at": null,
                     *       "finished_at": "2026-01-01T00:00:01.000Z",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "replay_of": null,
                     *       "retracted_at": null
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        /** Format: uuid */
                        trigger_id: string;
                        trigger_name: string;
                        /** @enum {string} */
                        status: "queued" | "running" | "success" | "failed" | "skipped";
                        input: {
                            [key: string]: unknown;
                        };
                        response: unknown;
                        /** @description Error of a failed run. Has a `stack` when the action threw. */
                        error: {
                            name: string;
                            message: string;
                            stack?: string;
                        } | null;
                        /** @description Cost of the run in micro-credits (1,000,000 micro-credits are 1 credit). Null before the run ends, and when the cost is unknown. */
                        cost_micros: number | null;
                        /** @description Number of requests to the relayer that count: an outage, a limit and missing credit cost none. */
                        attempt: number;
                        /** @description The approval that a queued run waits for, or with which the run went on. GET /core/v1/approval/{id} of the relayer shows it. */
                        approval_id: string | null;
                        /** @description Revision of the trigger that the run uses. */
                        revision: number | null;
                        /** @description CID of the code that ran. */
                        cid: string | null;
                        /** @description The relayer's record of the run. GET /core/v1/get_run of the relayer shows it. */
                        relayer_run_id: string | null;
                        /** @description Wall time of the run. */
                        duration_ms: number | null;
                        /** @description Slot of the schedule that fired the run. */
                        scheduled_for: string | null;
                        started_at: string | null;
                        finished_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        replay_of: string | null;
                        /** @description When a reorg dropped the log that fired the run. */
                        retracted_at: string | null;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_alerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        url: string;
                        /** @description Failed runs of a trigger in a row after which an alert is sent. */
                        after_failures: number;
                        /** @description False after a day without a delivery, a reply with status 410, or a transfer of the account. PUT enables it. */
                        enabled: boolean;
                        disabled_reason: string | null;
                        /** @description First failed attempt since the last delivery. */
                        failing_since: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_api_alerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/alerts",
                 *       "after_failures": 3
                 *     }
                 */
                "application/json": {
                    /** @description An https URL with a public address. Redirects are not followed. */
                    url: string;
                    /** @default 3 */
                    after_failures?: number;
                    /**
                     * @description Replaces the secret.
                     * @default false
                     */
                    rotate_secret?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "https://example.com/alerts",
                     *       "after_failures": 3,
                     *       "enabled": true,
                     *       "disabled_reason": null,
                     *       "failing_since": null,
                     *       "created_at": "2026-11-01T09:00:00.000Z",
                     *       "updated_at": "2026-11-01T09:00:00.000Z",
                     *       "secret": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
                     *     }
                     */
                    "application/json": {
                        url: string;
                        /** @description Failed runs of a trigger in a row after which an alert is sent. */
                        after_failures: number;
                        /** @description False after a day without a delivery, a reply with status 410, or a transfer of the account. PUT enables it. */
                        enabled: boolean;
                        disabled_reason: string | null;
                        /** @description First failed attempt since the last delivery. */
                        failing_since: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        updated_at: string;
                        /** @description Secret of the signatures (Standard Webhooks): `whsec_` and base64. */
                        secret?: string;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_alerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: true;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_alerts_test: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivered": false,
                     *       "error": "the reply has the status 500"
                     *     }
                     */
                    "application/json": {
                        delivered: boolean;
                        /** @description Why the alert was not delivered. */
                        error: string | null;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_alerts_deliveries: {
        parameters: {
            query?: {
                status?: "waiting" | "failed";
                page_size?: number;
                /** @description Id of a delivery: lists those that were stored before it. */
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: {
                            /** @description `webhook-id` of all attempts. */
                            id: string;
                            type: string;
                            /** @description As it is sent. */
                            data: {
                                [key: string]: unknown;
                            };
                            /**
                             * @description `waiting`: for its first or next attempt. `failed`: given up.
                             * @enum {string}
                             */
                            status: "waiting" | "delivered" | "failed";
                            attempts: number;
                            /** @description Status of the last reply; null without one. */
                            response_status: number | null;
                            /** @description Why the last attempt failed. */
                            error: string | null;
                            /** Format: date-time */
                            created_at: string;
                            last_attempt_at: string | null;
                            next_attempt_at: string | null;
                            delivered_at: string | null;
                        }[];
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_alerts_replay: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "failed_since": "2026-11-01T09:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    delivery_id?: string;
                    /** Format: date-time */
                    failed_since?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "replayed": 3
                     *     }
                     */
                    "application/json": {
                        /** @description Number of deliveries that wait now. */
                        replayed: number;
                    };
                };
            };
            /** @description Malformed JSON, or an invalid value of the right type */
            400: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Missing, unknown, expired or removed credential */
            401: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with the current state */
            409: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request does not match its schema */
            422: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Seconds to wait before a retry. */
                    "Retry-After"?: number;
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A service that this request depends on is unavailable */
            503: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
