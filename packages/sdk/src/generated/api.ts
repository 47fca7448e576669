export interface paths {
    "/core/v1/new_account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a managed account
         * @description The reply contains the account key, which is shown once and cannot be recovered. A repeated request from the same address with the same `Idempotency-Key` returns the same reply, so this key must be random: a UUID, or at least 22 characters of A-Z a-z 0-9 - _. While many accounts are being created, the reply is 429 until a challenge of new_account_challenge is solved.
         */
        post: operations["post_core_v1_new_account"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/new_account_challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a proof-of-work challenge for new_account
         * @description Find the `number` from 0 to `maxnumber` for which the hex of SHA-256 of `salt` followed by its decimal text is `challenge`. Send base64 of the JSON `{algorithm, challenge, number, salt, signature}` in `X-Challenge-Solution` of new_account within 10 minutes, once. The ALTCHA libraries solve it. Returns 404 when the relayer uses no challenges.
         */
        get: operations["get_core_v1_new_account_challenge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/account_exists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns whether the key belongs to an account */
        get: operations["get_core_v1_account_exists"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/account_admin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the admin wallet of an account
         * @description Public information on the chain. While an account is `managed`, its account key administers it and the admin wallet has no rights. Returns 403 for an account that was transferred to a wallet that has not accepted it.
         */
        get: operations["get_core_v1_account_admin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/export_account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns everything that the account has
         * @description Usage keys, groups with their contents, actions and wallets, whole and of one block. It has no key: usage keys have hashes, and wallets addresses. Caps, recordings and credit are those of the time of the request. 503 when the account changes all the time.
         */
        get: operations["get_core_v1_export_account"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_account_changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists what changed the account on the chain, newest first
         * @description The events of the account in the contract, whoever sent their transactions, with those of former keys and admin wallets. A reorg takes back those of replaced blocks. The next page begins with `before` of the last id.
         */
        get: operations["get_core_v1_list_account_changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the requests of the account, newest first
         * @description Requests with a key or a wallet proof of the account, refused ones too, about a second after their end, for 7 days. They have no query, no body and no key. At most 20 per second and process are kept: `omitted` of the last one counts the others. Requests of this list are left out. One filter at a time. The next page begins with `before` of the last id.
         */
        get: operations["get_core_v1_requests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/convert_to_chain_secured_account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Converts a managed account to ChainSecured, permanently
         * @description The typed data has the primary type ConvertAccount and the address of the new admin wallet. The account keeps its contents and its usage keys; the account key can no longer write. The conversion cannot be reversed. The relayer signs the consent of the account key, which it does not store.
         */
        post: operations["post_core_v1_convert_to_chain_secured_account"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/rotate_account_key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replaces the account key
         * @description Everything of the account stays: groups, actions, wallets, usage keys and credit. The old key is refused from the next request on and can never be used again. The caller makes the new key, so that a lost reply loses no account: when a retry is 401, use the new key. The relayer signs the consent of the old key, which it does not store; the address of the new key must sign the next one. Sessions and agents of the trigger service end: log in with the new key and pair the agents again. Webhooks, the alert webhook of triggers and the automatic top-up are disabled, because a thief of the old key could have set them: check them and set them again.
         */
        post: operations["post_core_v1_rotate_account_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/retire_account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends the account, permanently
         * @description The account key and all usage keys are refused from the next request on, and the keys of its wallets are never released again. Remaining credit can no longer be spent. The relayer signs the consent of the account key, which it does not store.
         */
        post: operations["post_core_v1_retire_account"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/submit_signed_write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submits writes that the admin wallet of a ChainSecured account signed
         * @description A payer sends `executeSigned` of the contract and pays the gas; the account pays the price of a write for each call. The typed data is described in docs/chain-secured.md. A single signed call of newChainSecuredAccount opens the account of a wallet; it is free and limited like new_account. The same signed writes are executed once, whoever submits them: when they were executed before, the reply has the block and the transaction that did it.
         */
        post: operations["post_core_v1_submit_signed_write"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/add_usage_api_key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a usage key
         * @description The reply contains the key, which is shown once; only its hash is stored.
         */
        post: operations["post_core_v1_add_usage_api_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/add_usage_api_key_with_signature": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mints a usage key for the admin wallet of a ChainSecured account
         * @description The typed data has the primary type AddUsageApiKey. The reply contains the key, which is shown once. The key has no effect until the admin wallet calls registerWalletDerivation (with the address of the key, which signs for no account) and setUsageApiKey on the contract.
         */
        post: operations["post_core_v1_add_usage_api_key_with_signature"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_api_keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the usage keys */
        get: operations["get_core_v1_list_api_keys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/update_usage_api_key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replaces a usage key
         * @description Omitted fields are reset to their defaults, including the caps. The amount that the key has spent in its window stays.
         */
        post: operations["post_core_v1_update_usage_api_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/update_usage_api_key_metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replaces the labels of a usage key */
        post: operations["post_core_v1_update_usage_api_key_metadata"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/remove_usage_api_key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Removes a usage key
         * @description The key is refused from the next request on.
         */
        post: operations["post_core_v1_remove_usage_api_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/remove_all_usage_api_keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Removes all usage keys
         * @description The keys are refused from the next request on.
         */
        post: operations["post_core_v1_remove_all_usage_api_keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/rotate_usage_api_key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replaces a usage key
         * @description Permissions, expiration, labels and caps stay. The old key is refused from the next request on and can never be used again. Without new_usage_api_key the relayer makes the new key, which the reply shows once; it makes another one when a stranger registers its hash first. Triggers keep the old key: give them the new one with PATCH /api/triggers/:id of the trigger service.
         */
        post: operations["post_core_v1_rotate_usage_api_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/set_usage_api_key_expiration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes when a usage key expires
         * @description An expired key works again after a later expiration.
         */
        post: operations["post_core_v1_set_usage_api_key_expiration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/set_usage_api_key_recording": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets whether records of runs have their output
         * @description With `record_output`, the records of the runs of this key that begin from now on have their logs, their response and the text of their error, as GET /core/v1/run/{id} returns them to the account key and the admin wallet. Without it, they do not, and kept output is deleted, also for a removed key. The setting moves with rotate_usage_api_key and ends with the key.
         */
        post: operations["post_core_v1_set_usage_api_key_recording"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/add_group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a group
         * @description The CID hash 0 permits every action, the wallet 0 every wallet of the account. An action that the account does not have is registered with empty labels.
         */
        post: operations["post_core_v1_add_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the groups */
        get: operations["get_core_v1_list_groups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/update_group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replaces a group
         * @description Replaces the whole group: afterwards it has exactly these labels, actions and wallets. An omitted array is empty.
         */
        post: operations["post_core_v1_update_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/remove_group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Removes a group */
        post: operations["post_core_v1_remove_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/add_action_to_group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Adds an action to a group */
        post: operations["post_core_v1_add_action_to_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/remove_action_from_group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Removes an action from a group */
        post: operations["post_core_v1_remove_action_from_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/add_pkp_to_group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Adds a wallet to a group */
        post: operations["post_core_v1_add_pkp_to_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/remove_pkp_from_group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Removes a wallet from a group */
        post: operations["post_core_v1_remove_pkp_from_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/add_to_group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds actions and wallets to a group
         * @description Adds all of them or none. A usage key needs the group in manage_ipfs_ids_in_groups for actions, and in add_pkp_to_groups for wallets.
         */
        post: operations["post_core_v1_add_to_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/remove_from_group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Removes actions and wallets from a group
         * @description Removes all of them or none. A usage key needs the group in manage_ipfs_ids_in_groups for actions, and in remove_pkp_from_groups for wallets.
         */
        post: operations["post_core_v1_remove_from_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/add_action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Registers an action */
        post: operations["post_core_v1_add_action"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the actions of the account, or of one of its groups
         * @description `group_id` 0 lists all actions, like no `group_id`.
         */
        get: operations["get_core_v1_list_actions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/update_action_metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replaces the labels of an action */
        post: operations["post_core_v1_update_action_metadata"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/delete_action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Removes an action from the account and every group */
        post: operations["post_core_v1_delete_action"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/store_action_code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stores the code of an action
         * @description The account can read it again with action_code, and run it by its CID. It is stored sealed; no other account gets it. Registering and permitting the CID are other requests, in any order. Repeating the request is a success.
         */
        post: operations["post_core_v1_store_action_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_action_codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the stored codes of the account without their text, newest first */
        get: operations["get_core_v1_list_action_codes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/action_code/{cid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns code that the account has stored
         * @description Code that the account has run, but not stored, is not returned: it can be that of another account.
         */
        get: operations["get_core_v1_action_code_cid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/delete_action_code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deletes code that the account has stored
         * @description The action stays registered. Code that the relayer keeps after a paid run is not deleted.
         */
        post: operations["post_core_v1_delete_action_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/create_wallet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Creates a wallet and registers it in the account
         * @deprecated
         */
        get: operations["get_core_v1_create_wallet"];
        put?: never;
        /** Creates a wallet and registers it in the account */
        post: operations["post_core_v1_create_wallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/create_wallet_with_signature": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mints a wallet for the admin wallet of a ChainSecured account
         * @description The typed data has the primary type CreateWallet. The new wallet belongs to no account until the admin wallet calls registerWalletDerivation on the contract; no other caller can register its derivation path. exportable is not part of the typed data: the derivation path of the reply shows it.
         */
        post: operations["post_core_v1_create_wallet_with_signature"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/key_releases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists what the key nodes released for a wallet of the account, newest first
         * @description For the account key and the admin wallet. Each key node that answers has its own list: `entries` are JSON texts, each with the SHA-256 of the text before it in `previous`. `head` is the JSON that the node signed (Ed25519) over `latchkey/release-head/v1`, a zero byte and this text: its identity, your `nonce`, the time, and the number and SHA-256 of the newest entry. The next page begins with `before`.
         */
        get: operations["get_core_v1_key_releases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the wallets */
        get: operations["get_core_v1_list_wallets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_wallets_in_group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the wallets of a group */
        get: operations["get_core_v1_list_wallets_in_group"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/set_secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stores a new version of a secret
         * @description The client has encrypted the value to the public key of a wallet of the account, as `encryptSecret` and `setSecret` of the SDK do: the relayer cannot read it, and no endpoint returns it. Runs that may use the wallet get it by `Svc.Actions.getSecret`. Earlier versions stay until they are deleted. Repeating the request is a success.
         */
        post: operations["post_core_v1_set_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the versions of all secrets of the account, by name, newest first
         * @description Never returns a value or ciphertext. The actions of each group that has `wallet_address` can read the version. `last_read_at` is exact to a minute: a run asked for the version, before the key nodes decided.
         */
        get: operations["get_core_v1_list_secrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_secret_events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists who set, read and deleted a secret, newest first
         * @description `caller` is the hash of the account key, admin wallet or usage key. A `read` names the run and its CID: it is what a run asked for, before the key nodes decided. GET /core/v1/key_releases has what they released. The next page begins with `before` of the last id. Events are kept for `RUN_RECORD_DAYS` of the relayer, also of deleted secrets.
         */
        get: operations["get_core_v1_list_secret_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/delete_secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deletes a version of a secret, or all versions
         * @description Runs do not get it from the next request on. A copy of the database from before still has the ciphertext: revoke a leaked value where it is used.
         */
        post: operations["post_core_v1_delete_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/svc_action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Runs an action
         * @description Runs `code` or, when it is absent or empty, the code of `ipfs_id`, which the relayer keeps after a paid run, the account has stored (`store_action_code`), or the IPFS gateway of the relayer has. An error of the action, a timeout and an exceeded limit are replies with `has_error`, and so is a run that was stopped because its next second could not be paid (`CreditError`). A request that is closed stops its run, which is charged for the started seconds, unless it has an Idempotency-Key: a repeated request then gets the outcome. With `Accept: text/event-stream` the reply is a stream of events: `run` (`{run_id, cid}`) when the code begins, `log` (`{text}`) with each part of the console output, and last `result` (`{status, headers, body}`), the reply as it is without a stream. A refusal before the code begins is a plain reply. Status 502 with the error `service_unavailable`: the runner crashed during the run, which costs nothing.
         */
        post: operations["post_core_v1_svc_action"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/send_transaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a transaction of a wallet
         * @description Runs the standard action `send transaction` (`actions/send-transaction.js`), which a group of the usage key must permit, with the wallet. The service assigns the nonce and the fees, and broadcasts; the reply does not wait until the transaction is mined. Charged as a run. 409 names why the service or the chain refuses the transaction: nothing was sent.
         */
        post: operations["post_core_v1_send_transaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the records of runs, newest first
         * @description A usage key lists its own runs; the account key and the admin wallet list all runs of the account. A run must match all parameters. The next page begins with `before` of the last id. Records are kept for `RUN_RECORD_DAYS` of the relayer. They never have code, parameters, keys or output; GET /core/v1/run/{id} returns recorded output.
         */
        get: operations["get_core_v1_list_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/run/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the record of a run */
        get: operations["get_core_v1_run_id"];
        put?: never;
        post?: never;
        /**
         * Stops a run
         * @description The run ends with `StoppedError`, is charged for the seconds that it used, and its caller gets that result. Returns the record when the run has ended; `status` is `running` when the end takes longer than 5 seconds. Has no effect on a run that has ended. A usage key can also send the `Idempotency-Key` of its `svc_action` as the id, when that is a UUID: the reply is 404 unless that run is in progress.
         */
        delete: operations["delete_core_v1_run_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the transactions of wallets, newest first
         * @description A usage key lists the transactions of its own runs; the account key and the admin wallet list all transactions of the account. A transaction must match all parameters. The next page begins with `before` of the last id. A settled transaction is listed for 30 days.
         */
        get: operations["get_core_v1_transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/transactions/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams the changes of transactions
         * @description With `Accept: text/event-stream` the reply is a stream: `pending` (`{count}`), `transaction` with each of so many pending transactions, and then with each one that changes. It ends after 10 minutes, when the key is removed, or with 429 when another usage key has no stream, with `result` (`{status, headers, body}`): connect again. Without a stream it returns the pending transactions. A usage key gets the transactions of its own runs.
         */
        get: operations["get_core_v1_transactions_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/transactions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a transaction of a wallet */
        get: operations["get_core_v1_transactions_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/cancel_transaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels a transaction of a wallet that is not mined
         * @description Broadcasts the form that cancels it: a transfer of nothing from the wallet to itself with the same nonce, which the run has signed with the transaction. Its gas is paid by the wallet. The transaction is `replaced` when that is mined, and `confirmed` or `failed` when it was itself mined first. Another call broadcasts it again.
         */
        post: operations["post_core_v1_cancel_transaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists approvals, newest first
         * @description A usage key lists those of its own runs; the account key and the admin wallet list all of the account. The next page begins with `before` of the last id. Approvals are kept for `RUN_RECORD_DAYS` of the relayer after they expire.
         */
        get: operations["get_core_v1_list_approvals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/approval/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns an approval
         * @description The id is a secret for the approvers: who has it can read the approval without a key.
         */
        get: operations["get_core_v1_approval_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds the signature of an approver to an approval
         * @description The signature is over the typed data `ApproveRun` of docs/approvals.md. An approver counts once. The run can go on when `threshold` approvers have signed: svc_action with `approval_id`.
         */
        post: operations["post_core_v1_approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/refuse_approval": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refuses an approval
         * @description The signature is over the typed data `RefuseRun` of docs/approvals.md. One approver ends the approval for all: its run can no longer go on. The reply says `used` when a run has the approval: the refusal counts if that run gives it back because its code did not begin.
         */
        post: operations["post_core_v1_refuse_approval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/cancel_approval": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends an open approval of the account
         * @description It is `expired` then: its run can no longer go on, and it no longer counts as open. One that has ended, or that a run has, stays as it is.
         */
        post: operations["post_core_v1_cancel_approval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/explain_execution": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explains whether a usage key is permitted to run an action and use a wallet in it
         * @description Asks the contract, which makes the same decision for every run. Send `cid` or `hashed_cid`. A usage key asks about itself; an account key asks about one of its usage keys with `usage_api_key`.
         */
        get: operations["get_core_v1_explain_execution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/get_svc_action_client_config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the limits per run, and the signer of receipts
         * @description Lengths are UTF-8 bytes. Trust the signer that the contract has: its node configuration `receipt-signer`.
         */
        get: operations["get_core_v1_get_svc_action_client_config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/get_svc_action_ipfs_id": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Computes the CID of action code
         * @description The body is the code as a JSON string, the reply its CIDv0 as a JSON string.
         */
        post: operations["post_core_v1_get_svc_action_ipfs_id"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/billing/processor_config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the publishable key of the card processor
         * @description Returns 404 when the relayer accepts no payments.
         */
        get: operations["get_core_v1_billing_processor_config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/billing/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the credit that the account can spend
         * @description Excludes credit reserved for in-flight writes and runs.
         */
        get: operations["get_core_v1_billing_balance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/billing/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists all movements of credit, latest first
         * @description With `Accept: text/csv` the page is CSV.
         */
        get: operations["get_core_v1_billing_ledger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/billing/create_payment_intent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a payment intent for a card payment
         * @description Complete it with `client_secret` in the card processor's browser library, then call billing/confirm_payment.
         */
        post: operations["post_core_v1_billing_create_payment_intent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/billing/confirm_payment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Credits a successful payment
         * @description Credits a payment once: a repeated confirm succeeds without a second credit.
         */
        post: operations["post_core_v1_billing_confirm_payment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/billing/auto_top_up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the automatic top-up of the account
         * @description Null while it is off. Settings of a former owner are not returned.
         */
        get: operations["get_core_v1_billing_auto_top_up"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/billing/create_setup_intent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a setup intent, which stores a card for automatic top-ups
         * @description Complete it with `client_secret` in the card processor's browser library, then call billing/set_auto_top_up. Nothing is charged.
         */
        post: operations["post_core_v1_billing_create_setup_intent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/billing/set_auto_top_up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turns the automatic top-up of the account on, changes it, or ends its pause
         * @description With `setup_intent_id` its card is stored instead of the former one. Without it the monthly limit cannot rise: 409. The settings and the card end when another key or wallet owns the account.
         */
        post: operations["post_core_v1_billing_set_auto_top_up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/billing/remove_auto_top_up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turns the automatic top-up of the account off and removes its card
         * @description A charge whose request was already sent is credited. Succeeds also when it is off.
         */
        post: operations["post_core_v1_billing_remove_auto_top_up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/billing/top_up_payment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the automatic payment that its card holder must authenticate
         * @description Confirm it with `client_secret` and `payment_method_id` in the card processor's browser library, then call billing/confirm_payment, which ends the pause of the top-up.
         */
        get: operations["get_core_v1_billing_top_up_payment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/billing/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the receipt of a payment that was credited */
        get: operations["get_core_v1_billing_receipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/billing/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receives the events of the card processor
         * @description Events must be signed with one of the webhook secrets and be at most 300 seconds old. An event about a payment makes the relayer re-read the payment from Stripe.
         */
        post: operations["post_core_v1_billing_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/add_webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds a webhook, to which the events of the account are sent
         * @description Returns its secret, once. An account has at most 5 webhooks.
         */
        post: operations["post_core_v1_add_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the webhooks of the account, oldest first */
        get: operations["get_core_v1_list_webhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/update_webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes a webhook
         * @description Changes the given fields. A disabled webhook gets no events; its waiting deliveries go on when it is enabled. Deliveries that wait are sent to the new URL, and signed with the new secret.
         */
        post: operations["post_core_v1_update_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/remove_webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deletes a webhook, its secret and its deliveries */
        post: operations["post_core_v1_remove_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/test_webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends an event of type `webhook.test`
         * @description Makes one attempt and replies with its result. At most 10 per minute and account.
         */
        post: operations["post_core_v1_test_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/list_webhook_deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the deliveries of a webhook, newest first
         * @description The next page begins with `before` of the last id. Deliveries are kept for 30 days.
         */
        get: operations["get_core_v1_list_webhook_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/replay_webhook_deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends events again
         * @description Either one delivery that has ended, or all that failed and were stored at or after a time. They keep their `webhook-id` and are retried as new ones. A delivery that waits is not sent twice.
         */
        post: operations["post_core_v1_replay_webhook_deliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/get_node_chain_config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the chain and the contract that the relayer uses */
        get: operations["get_core_v1_get_node_chain_config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/get_api_payers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the addresses that can write to managed accounts */
        get: operations["get_core_v1_get_api_payers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/get_admin_api_payer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the address of the admin payer */
        get: operations["get_core_v1_get_admin_api_payer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/core/v1/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the version of the relayer */
        get: operations["get_core_v1_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the state of the deployment, for its operator
         * @description Parts, payers, chains, queues, runners and key nodes as this relayer sees them. 404 unless `OPERATOR_TOKEN_HASH` is set. Null is what the relayer does not know, because a part does not answer.
         */
        get: operations["get_operator_v1_status"];
        put?: never;
        post?: never;
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
    post_core_v1_new_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description The solved challenge of new_account_challenge. */
                "x-challenge-solution"?: string;
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
                 *       "account_name": "first",
                 *       "account_description": "My first account"
                 *     }
                 */
                "application/json": {
                    /** @description At most 128 bytes in UTF-8. */
                    account_name: string;
                    /** @description At most 1024 bytes in UTF-8. */
                    account_description: string;
                    /** @description Accepted and not stored. */
                    email?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "api_key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                     *       "wallet_address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
                     *     }
                     */
                    "application/json": {
                        api_key: string;
                        wallet_address: string;
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
    get_core_v1_new_account_challenge: {
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
                        algorithm: string;
                        challenge: string;
                        maxnumber?: number;
                        salt: string;
                        signature: string;
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
    get_core_v1_account_exists: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": boolean;
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
    get_core_v1_account_admin: {
        parameters: {
            query: {
                /** @description Master hash, or wallet identity of an admin wallet: 0x and 64 hex digits. */
                account: string;
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
                        /** @description Master hash. */
                        account: string;
                        admin_wallet_address: string;
                        managed: boolean;
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
    get_core_v1_export_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    /** @description The limit of this request: its name, `q` points per `w` seconds. */
                    "RateLimit-Policy"?: string;
                    /** @description The name of the limit, `r` remaining points, and `t` seconds until there are `q` again. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        format_version: 1;
                        chain_id: number;
                        contract: string;
                        /** @description The block whose state the lists show. */
                        block_number: string;
                        account: {
                            /** @description Master hash of the account. */
                            api_key_hash: string;
                            admin_wallet_address: string;
                            managed: boolean;
                        };
                        usage_keys: {
                            id: string;
                            api_key_hash: string;
                            name: string;
                            description: string;
                            expiration: string;
                            balance: string;
                            can_create_groups: boolean;
                            can_delete_groups: boolean;
                            can_create_pkps: boolean;
                            can_manage_ipfs_ids_in_groups: (number | string)[];
                            can_add_pkp_to_groups: (number | string)[];
                            can_remove_pkp_from_groups: (number | string)[];
                            can_execute_in_groups: (number | string)[];
                            spend_cap_cents: number | null;
                            spend_window_seconds: number | null;
                            max_runs_per_minute: number | null;
                            max_concurrency: number | null;
                            max_run_seconds: number | null;
                            /** @description Set by set_usage_api_key_recording. */
                            record_output: boolean;
                        }[];
                        groups: {
                            id: string;
                            name: string;
                            description: string;
                            cid_hashes_permitted: string[];
                            pkp_ids_permitted: string[];
                        }[];
                        actions: {
                            id: string;
                            name: string;
                            description: string;
                            /** @description Null when the relayer has no code of the action that the account has run or stored. */
                            cid: string | null;
                        }[];
                        wallets: {
                            id: string;
                            name: string;
                            description: string;
                            wallet_address: string;
                            derivation_path: string;
                            exportable: boolean;
                        }[];
                        /** @description Available micro-credits at the time of the request. */
                        credit_micros: number;
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
    get_core_v1_list_account_changes: {
        parameters: {
            query?: {
                page_size?: number;
                /** @description Id of a change: lists those before it. */
                before?: string;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        id: string;
                        /** @description Name of the event of the contract. */
                        event: string;
                        /** @description Its arguments in snake_case: hashes and paths have 32 bytes, other numbers are decimal texts. */
                        data: {
                            [key: string]: unknown;
                        };
                        /** @description Time of the block. */
                        at: string;
                        block_number: string;
                        transaction_hash: string;
                        /** @description The wallet or api payer that sent the transaction. */
                        sender: string;
                        /** @description Whether the sender was an api payer. Then `usage_key_hash`, `signer` or, when both are null, the account key caused the change. */
                        is_sent_by_service: boolean;
                        usage_key_hash: string | null;
                        /** @description The wallet that signed it (`executeSigned`). */
                        signer: string | null;
                    }[];
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
    get_core_v1_requests: {
        parameters: {
            query?: {
                page_size?: number;
                before?: number;
                /** @description `refused`: a status of 4xx. `failed`: of 5xx. `aborted`: the client left before the reply. */
                outcome?: "success" | "refused" | "failed" | "aborted";
                key_hash?: string;
                /** @description Path of the route, for example `/core/v1/svc_action`. */
                route?: string;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        id: number;
                        /** @description `X-Request-Id` of the reply, and `X-Run-Id` of a run. */
                        request_id: string;
                        /** @description When the request ended. */
                        at: string;
                        method: string;
                        /** @description Path of the route, with names instead of the values of parameters. */
                        route: string;
                        /** @enum {string} */
                        outcome: "success" | "refused" | "failed" | "aborted";
                        /** @description Null for an aborted request. */
                        status: number | null;
                        /** @description The code in the error body. */
                        error: string | null;
                        duration_ms: number;
                        /** @description Price in micro-credits. A run that was aborted has it in its record only. */
                        charged_micros: number;
                        /** @description Hash of the key or wallet that sent it. */
                        key_hash: string;
                        omitted: number;
                    }[];
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
    post_core_v1_convert_to_chain_secured_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "new_admin_wallet_address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *       "typed_data": {
                 *         "types": {
                 *           "EIP712Domain": [
                 *             {
                 *               "name": "name",
                 *               "type": "string"
                 *             },
                 *             {
                 *               "name": "version",
                 *               "type": "string"
                 *             },
                 *             {
                 *               "name": "chainId",
                 *               "type": "uint256"
                 *             }
                 *           ],
                 *           "ConvertAccount": [
                 *             {
                 *               "name": "address",
                 *               "type": "address"
                 *             },
                 *             {
                 *               "name": "issuedAt",
                 *               "type": "uint256"
                 *             }
                 *           ]
                 *         },
                 *         "primaryType": "ConvertAccount",
                 *         "domain": {
                 *           "name": "Service ChainSecured",
                 *           "version": "1",
                 *           "chainId": 31337
                 *         },
                 *         "message": {
                 *           "address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *           "issuedAt": 1767225600
                 *         }
                 *       },
                 *       "signature": "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c1b"
                 *     }
                 */
                "application/json": {
                    new_admin_wallet_address: string;
                    /** @description The EIP-712 envelope as an object or as JSON text, at most 4,096 bytes. */
                    typed_data: string | {
                        [key: string]: unknown;
                    };
                    /** @description Hex: 64 or 65 bytes from an EOA, or up to 4,096 bytes for a deployed contract wallet (ERC-1271). */
                    signature: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "wallet_address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                     *       "api_key_hash": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1",
                     *       "transaction_hash": "0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @description The new admin wallet. */
                        wallet_address: string;
                        /** @description The master hash, which does not change. */
                        api_key_hash: string;
                        transaction_hash: string;
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_rotate_account_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "new_api_key": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1",
                 *       "new_wallet_address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
                 *     }
                 */
                "application/json": {
                    /** @description The new key, base64 of 32 random bytes, or its hash (0x and 64 hex digits). */
                    new_api_key: string;
                    /** @description The address of the new key: the secp256k1 address of the 32 bytes of the new key, as accountWalletAddress of @latchkey/protocol computes it. */
                    new_wallet_address: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_retire_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "api_key_hash": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1"
                 *     }
                 */
                "application/json": {
                    /** @description The master hash of the account, as a confirmation. */
                    api_key_hash: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_submit_signed_write: {
        parameters: {
            query?: never;
            header?: {
                /** @description The solved challenge of new_account_challenge. */
                "x-challenge-solution"?: string;
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
                 *       "api_key_hash": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1",
                 *       "signer": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *       "calls": [
                 *         "0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                 *       ],
                 *       "nonce": "0x0000000000000000000000000000000000000000000000000000000000000001",
                 *       "deadline": "1893456000",
                 *       "signature": "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c1b"
                 *     }
                 */
                "application/json": {
                    /** @description The account as in the calls: its master hash, or its admin wallet's identity. */
                    api_key_hash: string;
                    /** @description The wallet that signed: the admin wallet, or the wallet that transferred the account, for cancelTransfer. */
                    signer: string;
                    /** @description Calldata of functions of the contract, in the order of execution. */
                    calls: string[];
                    /** @description The signed nonce: any number that the account did not use before. */
                    nonce: string;
                    /** @description The signed deadline: the last Unix second of validity. */
                    deadline: number | string;
                    /** @description ECDSA or ERC-1271 signature of the typed data, at most 4,096 bytes. */
                    signature: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "transaction_hash": "0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        transaction_hash: string;
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_add_usage_api_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "name": "runner",
                 *       "execute_in_groups": [
                 *         "1"
                 *       ],
                 *       "spend_cap_cents": 100,
                 *       "spend_window_seconds": 86400
                 *     }
                 */
                "application/json": {
                    /** @description At most 128 bytes in UTF-8. */
                    name?: string;
                    /** @description At most 1024 bytes in UTF-8. */
                    description?: string;
                    /**
                     * @description Unix seconds; 0 means never.
                     * @default 0
                     */
                    expiration?: number | string;
                    /** @default false */
                    can_create_groups?: boolean;
                    /** @default false */
                    can_delete_groups?: boolean;
                    /** @default false */
                    can_create_pkps?: boolean;
                    /** @description Groups whose actions the key is permitted to change. [0] means every group. */
                    manage_ipfs_ids_in_groups?: (number | string)[];
                    /** @description Groups to which the key is permitted to add wallets. [0] means every group. */
                    add_pkp_to_groups?: (number | string)[];
                    /** @description Groups from which the key is permitted to remove wallets. [0] means every group. */
                    remove_pkp_from_groups?: (number | string)[];
                    /** @description Groups whose actions the key is permitted to run. [0] means every group. */
                    execute_in_groups?: (number | string)[];
                    /**
                     * @description Maximum spending of the key, in cents: per spend_window_seconds, or in total without a window.
                     * @default null
                     */
                    spend_cap_cents?: number | null;
                    /**
                     * @description Length of a spending window in seconds. A window begins with the first spending after the previous one ended.
                     * @default null
                     */
                    spend_window_seconds?: number | null;
                    /**
                     * @description Maximum number of runs the key can begin in any 60 seconds.
                     * @default null
                     */
                    max_runs_per_minute?: number | null;
                    /**
                     * @description Maximum number of concurrent runs of the key.
                     * @default null
                     */
                    max_concurrency?: number | null;
                    /**
                     * @description Longest run of the key, in seconds. A run that reaches it ends with TimeLimitError, and its seconds are charged.
                     * @default null
                     */
                    max_run_seconds?: number | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "usage_api_key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        usage_api_key: string;
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_add_usage_api_key_with_signature: {
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
                 *       "typed_data": {
                 *         "types": {
                 *           "EIP712Domain": [
                 *             {
                 *               "name": "name",
                 *               "type": "string"
                 *             },
                 *             {
                 *               "name": "version",
                 *               "type": "string"
                 *             },
                 *             {
                 *               "name": "chainId",
                 *               "type": "uint256"
                 *             }
                 *           ],
                 *           "AddUsageApiKey": [
                 *             {
                 *               "name": "address",
                 *               "type": "address"
                 *             },
                 *             {
                 *               "name": "issuedAt",
                 *               "type": "uint256"
                 *             }
                 *           ]
                 *         },
                 *         "primaryType": "AddUsageApiKey",
                 *         "domain": {
                 *           "name": "Service ChainSecured",
                 *           "version": "1",
                 *           "chainId": 31337
                 *         },
                 *         "message": {
                 *           "address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *           "issuedAt": 1767225600
                 *         }
                 *       },
                 *       "signature": "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c1b"
                 *     }
                 */
                "application/json": {
                    /** @description The EIP-712 envelope as an object or as JSON text, at most 4,096 bytes. */
                    typed_data: string | {
                        [key: string]: unknown;
                    };
                    /** @description Hex: 64 or 65 bytes from an EOA, or up to 4,096 bytes for a deployed contract wallet (ERC-1271). */
                    signature: string;
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
                     *       "usage_api_key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                     *       "wallet_address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                     *       "derivation_path": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266a3f1c9d27b64e80d5f92c1ab"
                     *     }
                     */
                    "application/json": {
                        usage_api_key: string;
                        wallet_address: string;
                        /** @description Derivation path, 0x and 64 hex digits. */
                        derivation_path: string;
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
    get_core_v1_list_api_keys: {
        parameters: {
            query?: {
                page_number?: number;
                page_size?: number;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    /** @description Number of entries in the whole list. */
                    "X-Total-Count"?: string;
                    /** @description Block number of the list. */
                    "X-Block-Number"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        api_key_hash: string;
                        name: string;
                        description: string;
                        expiration: string;
                        balance: string;
                        can_create_groups: boolean;
                        can_delete_groups: boolean;
                        can_create_pkps: boolean;
                        can_manage_ipfs_ids_in_groups: (number | string)[];
                        can_add_pkp_to_groups: (number | string)[];
                        can_remove_pkp_from_groups: (number | string)[];
                        can_execute_in_groups: (number | string)[];
                        spend_cap_cents: number | null;
                        spend_window_seconds: number | null;
                        max_runs_per_minute: number | null;
                        max_concurrency: number | null;
                        max_run_seconds: number | null;
                        /** @description Set by set_usage_api_key_recording. */
                        record_output: boolean;
                    }[];
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
    post_core_v1_update_usage_api_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "usage_api_key": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1",
                 *       "name": "runner",
                 *       "execute_in_groups": [
                 *         "1",
                 *         "2"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description The usage key (1 to 512 visible ASCII characters) or its hash (0x and 64 hex digits). */
                    usage_api_key: string;
                    /** @description At most 128 bytes in UTF-8. */
                    name?: string;
                    /** @description At most 1024 bytes in UTF-8. */
                    description?: string;
                    /**
                     * @description Unix seconds; 0 means never.
                     * @default 0
                     */
                    expiration?: number | string;
                    /** @default false */
                    can_create_groups?: boolean;
                    /** @default false */
                    can_delete_groups?: boolean;
                    /** @default false */
                    can_create_pkps?: boolean;
                    /** @description Groups whose actions the key is permitted to change. [0] means every group. */
                    manage_ipfs_ids_in_groups?: (number | string)[];
                    /** @description Groups to which the key is permitted to add wallets. [0] means every group. */
                    add_pkp_to_groups?: (number | string)[];
                    /** @description Groups from which the key is permitted to remove wallets. [0] means every group. */
                    remove_pkp_from_groups?: (number | string)[];
                    /** @description Groups whose actions the key is permitted to run. [0] means every group. */
                    execute_in_groups?: (number | string)[];
                    /**
                     * @description Maximum spending of the key, in cents: per spend_window_seconds, or in total without a window.
                     * @default null
                     */
                    spend_cap_cents?: number | null;
                    /**
                     * @description Length of a spending window in seconds. A window begins with the first spending after the previous one ended.
                     * @default null
                     */
                    spend_window_seconds?: number | null;
                    /**
                     * @description Maximum number of runs the key can begin in any 60 seconds.
                     * @default null
                     */
                    max_runs_per_minute?: number | null;
                    /**
                     * @description Maximum number of concurrent runs of the key.
                     * @default null
                     */
                    max_concurrency?: number | null;
                    /**
                     * @description Longest run of the key, in seconds. A run that reaches it ends with TimeLimitError, and its seconds are charged.
                     * @default null
                     */
                    max_run_seconds?: number | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_update_usage_api_key_metadata: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "usage_api_key": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1",
                 *       "name": "runner",
                 *       "description": "Runs the signer"
                 *     }
                 */
                "application/json": {
                    /** @description The usage key (1 to 512 visible ASCII characters) or its hash (0x and 64 hex digits). */
                    usage_api_key: string;
                    /** @description At most 128 bytes in UTF-8. */
                    name: string;
                    /** @description At most 1024 bytes in UTF-8. */
                    description: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_remove_usage_api_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "usage_api_key": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1"
                 *     }
                 */
                "application/json": {
                    /** @description The usage key (1 to 512 visible ASCII characters) or its hash (0x and 64 hex digits). */
                    usage_api_key: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_remove_all_usage_api_keys: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
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
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_rotate_usage_api_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "usage_api_key": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1",
                 *       "new_usage_api_key": "0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5"
                 *     }
                 */
                "application/json": {
                    /** @description The usage key (1 to 512 visible ASCII characters) or its hash (0x and 64 hex digits). */
                    usage_api_key: string;
                    /** @description The new key, base64 of 32 random bytes, or its hash (0x and 64 hex digits). */
                    new_usage_api_key?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        usage_api_key?: string;
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_set_usage_api_key_expiration: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "usage_api_key": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1",
                 *       "expiration": "1893456000"
                 *     }
                 */
                "application/json": {
                    /** @description The usage key (1 to 512 visible ASCII characters) or its hash (0x and 64 hex digits). */
                    usage_api_key: string;
                    /** @description Unix seconds; 0 means never. */
                    expiration: number | string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_set_usage_api_key_recording: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "usage_api_key": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1",
                 *       "record_output": true
                 *     }
                 */
                "application/json": {
                    /** @description The usage key (1 to 512 visible ASCII characters) or its hash (0x and 64 hex digits). */
                    usage_api_key: string;
                    record_output: boolean;
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
                        /** @constant */
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
    post_core_v1_add_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "group_name": "signers",
                 *       "group_description": "Can sign",
                 *       "pkp_ids_permitted": [
                 *         "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
                 *       ],
                 *       "cid_hashes_permitted": [
                 *         "0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description At most 128 bytes in UTF-8. */
                    group_name: string;
                    /** @description At most 1024 bytes in UTF-8. */
                    group_description: string;
                    pkp_ids_permitted?: (0 | string)[];
                    cid_hashes_permitted?: (0 | string)[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "group_id": "1"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        success: true;
                        group_id: string;
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    get_core_v1_list_groups: {
        parameters: {
            query?: {
                page_number?: number;
                page_size?: number;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    /** @description Number of entries in the whole list. */
                    "X-Total-Count"?: string;
                    /** @description Block number of the list. */
                    "X-Block-Number"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        description: string;
                        cid_hashes_permitted: string[];
                        pkp_ids_permitted: string[];
                    }[];
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
    post_core_v1_update_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "group_id": "1",
                 *       "name": "signers",
                 *       "description": "Every action, every wallet",
                 *       "pkp_ids_permitted": [
                 *         "0x0"
                 *       ],
                 *       "cid_hashes_permitted": [
                 *         "0x0"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Group id below 2^64: a number, a decimal string, or a 0x string of up to 64 digits such as the `id` of list_groups. Send ids over 2^53 as a string. */
                    group_id: number | string;
                    /** @description At most 128 bytes in UTF-8. */
                    name: string;
                    /** @description At most 1024 bytes in UTF-8. */
                    description: string;
                    pkp_ids_permitted?: (0 | string)[];
                    cid_hashes_permitted?: (0 | string)[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_remove_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "group_id": "1"
                 *     }
                 */
                "application/json": {
                    /** @description Group id below 2^64: a number, a decimal string, or a 0x string of up to 64 digits such as the `id` of list_groups. Send ids over 2^53 as a string. */
                    group_id: number | string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_add_action_to_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "group_id": "1",
                 *       "action_ipfs_cid": "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"
                 *     }
                 */
                "application/json": {
                    /** @description Group id below 2^64: a number, a decimal string, or a 0x string of up to 64 digits such as the `id` of list_groups. Send ids over 2^53 as a string. */
                    group_id: number | string;
                    /** @description IPFS content identifier, version 0 or 1; `0`, `0x0` or all zeros for every action. */
                    action_ipfs_cid: 0 | string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_remove_action_from_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "group_id": "1",
                 *       "hashed_cid": "0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5"
                 *     }
                 */
                "application/json": {
                    /** @description Group id below 2^64: a number, a decimal string, or a 0x string of up to 64 digits such as the `id` of list_groups. Send ids over 2^53 as a string. */
                    group_id: number | string;
                    /** @description CID hash, 0x and 64 hex digits; `0`, `0x0` or all zeros for every action. */
                    hashed_cid: 0 | string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_add_pkp_to_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "group_id": "1",
                 *       "pkp_id": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
                 *     }
                 */
                "application/json": {
                    /** @description Group id below 2^64: a number, a decimal string, or a 0x string of up to 64 digits such as the `id` of list_groups. Send ids over 2^53 as a string. */
                    group_id: number | string;
                    /** @description Wallet address; `0`, `0x0` or all zeros for every wallet of the account. */
                    pkp_id: 0 | string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_remove_pkp_from_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "group_id": "1",
                 *       "pkp_id": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
                 *     }
                 */
                "application/json": {
                    /** @description Group id below 2^64: a number, a decimal string, or a 0x string of up to 64 digits such as the `id` of list_groups. Send ids over 2^53 as a string. */
                    group_id: number | string;
                    /** @description Wallet address; `0`, `0x0` or all zeros for every wallet of the account. */
                    pkp_id: 0 | string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_add_to_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "group_id": "1",
                 *       "cid_hashes": [
                 *         "0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5"
                 *       ],
                 *       "pkp_ids": [
                 *         "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Group id below 2^64: a number, a decimal string, or a 0x string of up to 64 digits such as the `id` of list_groups. Send ids over 2^53 as a string. */
                    group_id: number | string;
                    cid_hashes?: (0 | string)[];
                    pkp_ids?: (0 | string)[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_remove_from_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "group_id": "1",
                 *       "cid_hashes": [
                 *         "0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5"
                 *       ],
                 *       "pkp_ids": [
                 *         "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Group id below 2^64: a number, a decimal string, or a 0x string of up to 64 digits such as the `id` of list_groups. Send ids over 2^53 as a string. */
                    group_id: number | string;
                    cid_hashes?: (0 | string)[];
                    pkp_ids?: (0 | string)[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_add_action: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "action_ipfs_cid": "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o",
                 *       "name": "sign",
                 *       "description": "Signs a message"
                 *     }
                 */
                "application/json": {
                    /** @description IPFS content identifier, version 0 or 1. */
                    action_ipfs_cid: string;
                    /** @description At most 128 bytes in UTF-8. */
                    name: string;
                    /** @description At most 1024 bytes in UTF-8. */
                    description: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    get_core_v1_list_actions: {
        parameters: {
            query?: {
                page_number?: number;
                page_size?: number;
                /** @description Group id below 2^64: a number, a decimal string, or a 0x string of up to 64 digits such as the `id` of list_groups. Send ids over 2^53 as a string. */
                group_id?: number | string;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    /** @description Number of entries in the whole list. */
                    "X-Total-Count"?: string;
                    /** @description Block number of the list. */
                    "X-Block-Number"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        description: string;
                    }[];
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
    post_core_v1_update_action_metadata: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "hashed_cid": "0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5",
                 *       "name": "sign",
                 *       "description": "Signs a message"
                 *     }
                 */
                "application/json": {
                    hashed_cid: string;
                    /** @description At most 128 bytes in UTF-8. */
                    name: string;
                    /** @description At most 1024 bytes in UTF-8. */
                    description: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_delete_action: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "hashed_cid": "0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5"
                 *     }
                 */
                "application/json": {
                    hashed_cid: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_store_action_code: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "action_ipfs_cid": "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD",
                 *       "code": "hello world"
                 *     }
                 */
                "application/json": {
                    /** @description IPFS content identifier, version 0 or 1. */
                    action_ipfs_cid: string;
                    code: string;
                    /** @description Hash of the CID of the version that it replaces, so that clients can show the versions of an action. */
                    replaces_hashed_cid?: string;
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
                        /** @constant */
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
    get_core_v1_list_action_codes: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        cid: string;
                        /** @description Length of the code in UTF-8. */
                        bytes: number;
                        /** @description Hash of the CID of the version that it replaces. Null for a first version. */
                        replaces_hashed_cid: string | null;
                        /** Format: date-time */
                        stored_at: string;
                    }[];
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
    get_core_v1_action_code_cid: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
            };
            path: {
                /** @description IPFS content identifier, version 0 or 1. */
                cid: string;
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
                        cid: string;
                        /** @description Length of the code in UTF-8. */
                        bytes: number;
                        /** @description Hash of the CID of the version that it replaces. Null for a first version. */
                        replaces_hashed_cid: string | null;
                        /** Format: date-time */
                        stored_at: string;
                        code: string;
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
    post_core_v1_delete_action_code: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "action_ipfs_cid": "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"
                 *     }
                 */
                "application/json": {
                    /** @description IPFS content identifier, version 0 or 1. */
                    action_ipfs_cid: string;
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
                        /** @constant */
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
    get_core_v1_create_wallet: {
        parameters: {
            query?: {
                /** @description At most 128 bytes in UTF-8. */
                name?: string;
                /** @description At most 1024 bytes in UTF-8. */
                description?: string;
                /** @description False: actions can sign and encrypt with the wallet, but can never get its private key. */
                exportable?: "true" | "false";
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        wallet_address: string;
                        /** @description Derivation path, 0x and 64 hex digits. */
                        derivation_path: string;
                        /** @description 0x04 and 128 hex digits, to encrypt secrets to. The address is its hash. Null while runners of an earlier version are in use. */
                        public_key: string | null;
                        /** @description The signature of the key nodes that the wallet at this path has this address. Verify it, with the parameters that the contract publishes, before you use the address. */
                        certificate: {
                            parameters: string;
                            partials: {
                                identifier: number;
                                /** Format: base64 */
                                partial: string;
                            }[];
                        };
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_create_wallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "name": "signer",
                 *       "description": "Signs messages",
                 *       "exportable": false
                 *     }
                 */
                "application/json": {
                    /** @description At most 128 bytes in UTF-8. */
                    name?: string;
                    /** @description At most 1024 bytes in UTF-8. */
                    description?: string;
                    /**
                     * @description False: actions can sign and encrypt with the wallet, but can never get its private key.
                     * @default true
                     */
                    exportable?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Block number of the receipt. */
                    "X-Block-Number"?: string;
                    /** @description Hash of the transaction, as in the log of the relayer. */
                    "X-Transaction-Hash"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wallet_address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                     *       "derivation_path": "0x0000000000000000000000000000000000000000a3f1c9d27b64e80d5f92c1ab",
                     *       "public_key": "0x048318535b54105d4a7aae60c08fc45f9687181b4fdfc625bd1a753fa7397fed753547f11ca8696646f2f3acb08e31016afac23e630c5d11f59f61fef57b0d2aa5",
                     *       "certificate": {
                     *         "parameters": "latchkey-threshold/1 …",
                     *         "partials": [
                     *           {
                     *             "identifier": 1,
                     *             "partial": "AAEC"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        wallet_address: string;
                        /** @description Derivation path, 0x and 64 hex digits. */
                        derivation_path: string;
                        /** @description 0x04 and 128 hex digits, to encrypt secrets to. The address is its hash. Null while runners of an earlier version are in use. */
                        public_key: string | null;
                        /** @description The signature of the key nodes that the wallet at this path has this address. Verify it, with the parameters that the contract publishes, before you use the address. */
                        certificate: {
                            parameters: string;
                            partials: {
                                identifier: number;
                                /** Format: base64 */
                                partial: string;
                            }[];
                        };
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_create_wallet_with_signature: {
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
                 *       "typed_data": {
                 *         "types": {
                 *           "EIP712Domain": [
                 *             {
                 *               "name": "name",
                 *               "type": "string"
                 *             },
                 *             {
                 *               "name": "version",
                 *               "type": "string"
                 *             },
                 *             {
                 *               "name": "chainId",
                 *               "type": "uint256"
                 *             }
                 *           ],
                 *           "CreateWallet": [
                 *             {
                 *               "name": "address",
                 *               "type": "address"
                 *             },
                 *             {
                 *               "name": "issuedAt",
                 *               "type": "uint256"
                 *             }
                 *           ]
                 *         },
                 *         "primaryType": "CreateWallet",
                 *         "domain": {
                 *           "name": "Service ChainSecured",
                 *           "version": "1",
                 *           "chainId": 31337
                 *         },
                 *         "message": {
                 *           "address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *           "issuedAt": 1767225600
                 *         }
                 *       },
                 *       "signature": "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c1b",
                 *       "exportable": true
                 *     }
                 */
                "application/json": {
                    /** @description The EIP-712 envelope as an object or as JSON text, at most 4,096 bytes. */
                    typed_data: string | {
                        [key: string]: unknown;
                    };
                    /** @description Hex: 64 or 65 bytes from an EOA, or up to 4,096 bytes for a deployed contract wallet (ERC-1271). */
                    signature: string;
                    /**
                     * @description False: actions can sign and encrypt with the wallet, but can never get its private key.
                     * @default true
                     */
                    exportable?: boolean;
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
                     *       "wallet_address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                     *       "derivation_path": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266a3f1c9d27b64e80d5f92c1ab",
                     *       "public_key": "0x048318535b54105d4a7aae60c08fc45f9687181b4fdfc625bd1a753fa7397fed753547f11ca8696646f2f3acb08e31016afac23e630c5d11f59f61fef57b0d2aa5",
                     *       "certificate": {
                     *         "parameters": "latchkey-threshold/1 …",
                     *         "partials": [
                     *           {
                     *             "identifier": 1,
                     *             "partial": "AAEC"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        wallet_address: string;
                        /** @description Derivation path, 0x and 64 hex digits. */
                        derivation_path: string;
                        /** @description 0x04 and 128 hex digits, to encrypt secrets to. The address is its hash. Null while runners of an earlier version are in use. */
                        public_key: string | null;
                        /** @description The signature of the key nodes that the wallet at this path has this address. Verify it, with the parameters that the contract publishes, before you use the address. */
                        certificate: {
                            parameters: string;
                            partials: {
                                identifier: number;
                                /** Format: base64 */
                                partial: string;
                            }[];
                        };
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
    get_core_v1_key_releases: {
        parameters: {
            query: {
                wallet: string;
                /** @description 16 random bytes, which the nodes sign: an old list does not have them. */
                nonce: string;
                page_size?: number;
                before?: string;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        /** @description Derivation path, 0x and 64 hex digits. */
                        derivation_path: string;
                        nodes: {
                            head: string;
                            signature: string;
                            entries: string[];
                        }[];
                        before: string | null;
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
    get_core_v1_list_wallets: {
        parameters: {
            query?: {
                page_number?: number;
                page_size?: number;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    /** @description Number of entries in the whole list. */
                    "X-Total-Count"?: string;
                    /** @description Block number of the list. */
                    "X-Block-Number"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        description: string;
                        wallet_address: string;
                        derivation_path: string;
                        exportable: boolean;
                    }[];
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
    get_core_v1_list_wallets_in_group: {
        parameters: {
            query: {
                page_number?: number;
                page_size?: number;
                /** @description Group id below 2^64: a number, a decimal string, or a 0x string of up to 64 digits such as the `id` of list_groups. Send ids over 2^53 as a string. */
                group_id: number | string;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    /** @description Number of entries in the whole list. */
                    "X-Total-Count"?: string;
                    /** @description Block number of the list. */
                    "X-Block-Number"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        description: string;
                        wallet_address: string;
                        derivation_path: string;
                        exportable: boolean;
                    }[];
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
    post_core_v1_set_secret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "name": "WEATHER_API_KEY",
                 *       "version": 1767225600000,
                 *       "wallet_address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *       "ciphertext": "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description Unix milliseconds at which the client encrypted it. Newer than all versions of the name. */
                    version: number;
                    wallet_address: string;
                    /** @description Uncompressed public key of the wallet. `list_secrets` returns it, so that another client can encrypt the next version. */
                    wallet_public_key?: string;
                    /**
                     * Format: base64
                     * @description Base64 of the compressed public key of a key that was used once (33 bytes), the encrypted value (at most 65536), and the tag (16).
                     */
                    ciphertext: string;
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
                        /** @constant */
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
    get_core_v1_list_secrets: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        name: string;
                        /** @description Unix milliseconds at which the client encrypted it. Newer than all versions of the name. */
                        version: number;
                        wallet_address: string;
                        /** @description Null when the client did not send it. */
                        wallet_public_key: string | null;
                        set_at: string;
                        last_read_at: string | null;
                    }[];
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
    get_core_v1_list_secret_events: {
        parameters: {
            query: {
                name: string;
                page_size?: number;
                before?: number;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        id: number;
                        /** @enum {string} */
                        event: "set" | "read" | "delete";
                        /** @description Null for all versions. */
                        version: number | null;
                        caller: string;
                        cid: string | null;
                        run_id: string | null;
                        at: string;
                    }[];
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
    post_core_v1_delete_secret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "name": "WEATHER_API_KEY"
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description Without it, all versions. */
                    version?: number;
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
                        /** @constant */
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
    post_core_v1_svc_action: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "code": "const main = ({ a, b }) => a + b",
                 *       "js_params": {
                 *         "a": 2,
                 *         "b": 3
                 *       }
                 *     }
                 */
                "application/json": {
                    code?: string | null;
                    ipfs_id?: string | null;
                    /** @description Longest run, in milliseconds. The limits of the service and of the usage key apply as well; the shortest counts. */
                    timeout_ms?: number | null;
                    /** @description Runs of the account with the same text run one after another, those of triggers with such a key of the account included: for example the address of a wallet. A run that waits for more than 60 seconds is refused with 429. */
                    concurrency_key?: string | null;
                    /** @description The approval with which a run goes on from its start, at most once: the same action with the same parameters and limits, under the same usage key. Nothing else is sent, except for `code` when the relayer no longer has it. */
                    approval_id?: string | null;
                    js_params?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description Up to 4 further parameters: each is the JSON value in the text of the named parameter of `js_params`, or that text when it is not JSON. An action can thus get a webhook as text and as value in a request that has it once. */
                    json_params?: {
                        [key: string]: string;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Id of the run, as in the relayer's logs. */
                    "X-Run-Id"?: string;
                    /** @description CID of the code that ran. */
                    "X-Run-Cid"?: string;
                    /** @description Wall time of the run in milliseconds. */
                    "X-Run-Duration-Ms"?: string;
                    /** @description Price of the run in micro-credits. A repeated request returns the same value and is charged once. */
                    "X-Run-Cost-Micros"?: string;
                    /** @description Base64 of the JSON `{message, signature}`: the typed data `RunReceipt`, signed by the receipt signer of the service. Absent for a run that ended before its code began. */
                    "X-Run-Receipt"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response": 5,
                     *       "logs": "",
                     *       "has_error": false
                     *     }
                     */
                    "application/json": {
                        response: unknown;
                        logs: string;
                        error?: {
                            name: string;
                            message: string;
                            stack: string;
                        };
                        has_error: boolean;
                        /** @description The run ended with ApprovalRequiredError and goes on with this approval. GET /core/v1/approval/{id} shows it to its approvers. */
                        approval_id?: string;
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    post_core_v1_send_transaction: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "pkp_id": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *       "chain_id": 31337,
                 *       "to": "0x000000000000000000000000000000000000dEaD",
                 *       "value": "1000000000000000"
                 *     }
                 */
                "application/json": {
                    /** @description Address of the wallet. */
                    pkp_id: string;
                    chain_id: number;
                    /** @description Null creates a contract with the code in `data`. */
                    to: string | null;
                    /** @description In wei. Default: 0. */
                    value?: string | null;
                    data?: string | null;
                    /** @description Default: the estimate, with headroom. */
                    gas?: string | null;
                    /** @description In wei; the highest that the wallet pays, also when the fee is raised. Default: ten times what the chain asks. */
                    max_fee_per_gas?: string | null;
                    /** @description Requests with one key, wallet and chain are one transaction. Default: that of the header `Idempotency-Key`. */
                    idempotency_key?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of this request, set by the server. */
                    "X-Request-Id"?: string;
                    /** @description Id of the run, as in the relayer's logs. */
                    "X-Run-Id"?: string;
                    /** @description CID of the code that ran. */
                    "X-Run-Cid"?: string;
                    /** @description Wall time of the run in milliseconds. */
                    "X-Run-Duration-Ms"?: string;
                    /** @description Price of the run in micro-credits. A repeated request returns the same value and is charged once. */
                    "X-Run-Cost-Micros"?: string;
                    /** @description Base64 of the JSON `{message, signature}`: the typed data `RunReceipt`, signed by the receipt signer of the service. Absent for a run that ended before its code began. */
                    "X-Run-Receipt"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0a4-7c1e-7d2a-9b3c-5f6e7d8c9b0a",
                     *       "hash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "nonce": 7
                     *     }
                     */
                    "application/json": {
                        id: string;
                        hash: string;
                        nonce: number;
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
            /** @description Not enough credit, or a spend cap is reached */
            402: {
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
    get_core_v1_list_runs: {
        parameters: {
            query?: {
                page_size?: number;
                /** @description Id of a run: lists the runs that began before it. */
                before?: string;
                usage_key_hash?: string;
                /** @description IPFS content identifier, version 0 or 1. */
                cid?: string;
                /** @description `failed`: ended by an error of the action, a limit, or a stop. `waiting_for_approval`: ended because it needs an approval, with which another run goes on. `released`: the service could not finish it, and it cost nothing. */
                status?: "running" | "success" | "failed" | "waiting_for_approval" | "released";
                error_name?: string;
                /** @description Runs that began at this time or later. */
                from?: string;
                /** @description Runs that began before this time. */
                to?: string;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        /** @description `X-Run-Id` of svc_action. */
                        id: string;
                        /** @description Master hash of the account. */
                        account: string;
                        usage_key_hash: string;
                        /** @description CID of the code that runs. */
                        cid: string | null;
                        /**
                         * @description `failed`: ended by an error of the action, a limit, or a stop. `waiting_for_approval`: ended because it needs an approval, with which another run goes on. `released`: the service could not finish it, and it cost nothing.
                         * @enum {string}
                         */
                        status: "running" | "success" | "failed" | "waiting_for_approval" | "released";
                        /** @description Name of the error of a failed run. */
                        error_name: string | null;
                        /** Format: date-time */
                        started_at: string;
                        ended_at: string | null;
                        /** @description Wall time. */
                        duration_ms: number | null;
                        /** @description Processor time. */
                        cpu_ms: number | null;
                        /** @description Highest memory of the action, read every 20 ms. */
                        memory_peak_bytes: number | null;
                        /** @description Price in micro-credits. Null before the end. */
                        charged_micros: number | null;
                        /** @description Key functions that succeeded, in their order. Empty before the end. */
                        key_operations: {
                            /** @enum {string} */
                            operation: "getPrivateKey" | "signMessage" | "signTypedData" | "signTransaction" | "signHash" | "sendTransaction" | "Encrypt" | "Decrypt" | "getSecret" | "getActionPrivateKey" | "getActionPublicKey" | "getActionWalletAddress" | "sign" | "getPublicKey";
                            wallet: string | null;
                        }[];
                        /** @description Hosts to which fetch sent requests. Empty before the end. */
                        fetch_hosts: string[];
                        /** @description `X-Run-Receipt` of svc_action. */
                        receipt: {
                            message: {
                                runId: string;
                                cidHash: string;
                                usageKeyHash: string;
                                paramsHash: string;
                                responseHash: string;
                                succeeded: boolean;
                                wallets: string[];
                                durationMs: string;
                                blockNumber: string;
                            };
                            signature: string;
                        } | null;
                    }[];
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
    get_core_v1_run_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
            };
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
                        /** @description `X-Run-Id` of svc_action. */
                        id: string;
                        /** @description Master hash of the account. */
                        account: string;
                        usage_key_hash: string;
                        /** @description CID of the code that runs. */
                        cid: string | null;
                        /**
                         * @description `failed`: ended by an error of the action, a limit, or a stop. `waiting_for_approval`: ended because it needs an approval, with which another run goes on. `released`: the service could not finish it, and it cost nothing.
                         * @enum {string}
                         */
                        status: "running" | "success" | "failed" | "waiting_for_approval" | "released";
                        /** @description Name of the error of a failed run. */
                        error_name: string | null;
                        /** Format: date-time */
                        started_at: string;
                        ended_at: string | null;
                        /** @description Wall time. */
                        duration_ms: number | null;
                        /** @description Processor time. */
                        cpu_ms: number | null;
                        /** @description Highest memory of the action, read every 20 ms. */
                        memory_peak_bytes: number | null;
                        /** @description Price in micro-credits. Null before the end. */
                        charged_micros: number | null;
                        /** @description Key functions that succeeded, in their order. Empty before the end. */
                        key_operations: {
                            /** @enum {string} */
                            operation: "getPrivateKey" | "signMessage" | "signTypedData" | "signTransaction" | "signHash" | "sendTransaction" | "Encrypt" | "Decrypt" | "getSecret" | "getActionPrivateKey" | "getActionPublicKey" | "getActionWalletAddress" | "sign" | "getPublicKey";
                            wallet: string | null;
                        }[];
                        /** @description Hosts to which fetch sent requests. Empty before the end. */
                        fetch_hosts: string[];
                        /** @description `X-Run-Receipt` of svc_action. */
                        receipt: {
                            message: {
                                runId: string;
                                cidHash: string;
                                usageKeyHash: string;
                                paramsHash: string;
                                responseHash: string;
                                succeeded: boolean;
                                wallets: string[];
                                durationMs: string;
                                blockNumber: string;
                            };
                            signature: string;
                        } | null;
                        /** @description The output of the run, when set_usage_api_key_recording was on for its usage key. Null otherwise, and for a usage key. */
                        output: {
                            response: unknown;
                            logs: string;
                            error?: {
                                name: string;
                                message: string;
                                stack: string;
                            };
                        } | null;
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
    delete_core_v1_run_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
            };
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
                        /** @description `X-Run-Id` of svc_action. */
                        id: string;
                        /** @description Master hash of the account. */
                        account: string;
                        usage_key_hash: string;
                        /** @description CID of the code that runs. */
                        cid: string | null;
                        /**
                         * @description `failed`: ended by an error of the action, a limit, or a stop. `waiting_for_approval`: ended because it needs an approval, with which another run goes on. `released`: the service could not finish it, and it cost nothing.
                         * @enum {string}
                         */
                        status: "running" | "success" | "failed" | "waiting_for_approval" | "released";
                        /** @description Name of the error of a failed run. */
                        error_name: string | null;
                        /** Format: date-time */
                        started_at: string;
                        ended_at: string | null;
                        /** @description Wall time. */
                        duration_ms: number | null;
                        /** @description Processor time. */
                        cpu_ms: number | null;
                        /** @description Highest memory of the action, read every 20 ms. */
                        memory_peak_bytes: number | null;
                        /** @description Price in micro-credits. Null before the end. */
                        charged_micros: number | null;
                        /** @description Key functions that succeeded, in their order. Empty before the end. */
                        key_operations: {
                            /** @enum {string} */
                            operation: "getPrivateKey" | "signMessage" | "signTypedData" | "signTransaction" | "signHash" | "sendTransaction" | "Encrypt" | "Decrypt" | "getSecret" | "getActionPrivateKey" | "getActionPublicKey" | "getActionWalletAddress" | "sign" | "getPublicKey";
                            wallet: string | null;
                        }[];
                        /** @description Hosts to which fetch sent requests. Empty before the end. */
                        fetch_hosts: string[];
                        /** @description `X-Run-Receipt` of svc_action. */
                        receipt: {
                            message: {
                                runId: string;
                                cidHash: string;
                                usageKeyHash: string;
                                paramsHash: string;
                                responseHash: string;
                                succeeded: boolean;
                                wallets: string[];
                                durationMs: string;
                                blockNumber: string;
                            };
                            signature: string;
                        } | null;
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
    get_core_v1_transactions: {
        parameters: {
            query?: {
                page_size?: number;
                /** @description Id of a transaction: lists the older ones. */
                before?: string;
                wallet?: string;
                usage_key_hash?: string;
                /** @description `queued`: stored, no node has accepted it yet. `broadcast`: a node has it. `mined`: in a block that is not confirmed. `confirmed`: succeeded. `failed`: reverted. `replaced`: another transaction used its nonce, also its own cancellation. */
                status?: "queued" | "broadcast" | "mined" | "confirmed" | "replaced" | "failed";
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        wallet: string;
                        chain_id: number;
                        nonce: number;
                        /** @description Null creates a contract. */
                        to: string | null;
                        /** @description Wei, in decimal digits. */
                        value: string;
                        gas: string;
                        /** @description Wei, in decimal digits. */
                        max_fee_per_gas: string;
                        /** @description Wei, in decimal digits. */
                        max_priority_fee_per_gas: string;
                        /**
                         * @description `queued`: stored, no node has accepted it yet. `broadcast`: a node has it. `mined`: in a block that is not confirmed. `confirmed`: succeeded. `failed`: reverted. `replaced`: another transaction used its nonce, also its own cancellation.
                         * @enum {string}
                         */
                        status: "queued" | "broadcast" | "mined" | "confirmed" | "replaced" | "failed";
                        /** @description Why it failed or was replaced. */
                        reason: string | null;
                        /** @description Hash of the mined form, or of the latest one. */
                        hash: string;
                        /** @description Hashes of all forms that were broadcast. Any of them can be mined, but only one. */
                        hashes: string[];
                        explorer_url: string | null;
                        block_number: number | null;
                        cancel_requested_at: string | null;
                        run_id: string;
                        cid: string;
                        usage_key_hash: string;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        changed_at: string;
                    }[];
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
    get_core_v1_transactions_events: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        wallet: string;
                        chain_id: number;
                        nonce: number;
                        /** @description Null creates a contract. */
                        to: string | null;
                        /** @description Wei, in decimal digits. */
                        value: string;
                        gas: string;
                        /** @description Wei, in decimal digits. */
                        max_fee_per_gas: string;
                        /** @description Wei, in decimal digits. */
                        max_priority_fee_per_gas: string;
                        /**
                         * @description `queued`: stored, no node has accepted it yet. `broadcast`: a node has it. `mined`: in a block that is not confirmed. `confirmed`: succeeded. `failed`: reverted. `replaced`: another transaction used its nonce, also its own cancellation.
                         * @enum {string}
                         */
                        status: "queued" | "broadcast" | "mined" | "confirmed" | "replaced" | "failed";
                        /** @description Why it failed or was replaced. */
                        reason: string | null;
                        /** @description Hash of the mined form, or of the latest one. */
                        hash: string;
                        /** @description Hashes of all forms that were broadcast. Any of them can be mined, but only one. */
                        hashes: string[];
                        explorer_url: string | null;
                        block_number: number | null;
                        cancel_requested_at: string | null;
                        run_id: string;
                        cid: string;
                        usage_key_hash: string;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        changed_at: string;
                    }[];
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
    get_core_v1_transactions_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
            };
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
                        wallet: string;
                        chain_id: number;
                        nonce: number;
                        /** @description Null creates a contract. */
                        to: string | null;
                        /** @description Wei, in decimal digits. */
                        value: string;
                        gas: string;
                        /** @description Wei, in decimal digits. */
                        max_fee_per_gas: string;
                        /** @description Wei, in decimal digits. */
                        max_priority_fee_per_gas: string;
                        /**
                         * @description `queued`: stored, no node has accepted it yet. `broadcast`: a node has it. `mined`: in a block that is not confirmed. `confirmed`: succeeded. `failed`: reverted. `replaced`: another transaction used its nonce, also its own cancellation.
                         * @enum {string}
                         */
                        status: "queued" | "broadcast" | "mined" | "confirmed" | "replaced" | "failed";
                        /** @description Why it failed or was replaced. */
                        reason: string | null;
                        /** @description Hash of the mined form, or of the latest one. */
                        hash: string;
                        /** @description Hashes of all forms that were broadcast. Any of them can be mined, but only one. */
                        hashes: string[];
                        explorer_url: string | null;
                        block_number: number | null;
                        cancel_requested_at: string | null;
                        run_id: string;
                        cid: string;
                        usage_key_hash: string;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        changed_at: string;
                        /** @description Calldata. */
                        data: string;
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
    post_core_v1_cancel_transaction: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "id": "3f0c2f5e-7a3c-4d0e-9a43-0d5f1c1b5a10"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    id: string;
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
                     *       "id": "3f0c2f5e-7a3c-4d0e-9a43-0d5f1c1b5a10",
                     *       "wallet": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                     *       "chain_id": 31337,
                     *       "nonce": 7,
                     *       "to": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *       "value": "1000000000000000",
                     *       "gas": "57300",
                     *       "max_fee_per_gas": "20000000000",
                     *       "max_priority_fee_per_gas": "2000000000",
                     *       "status": "broadcast",
                     *       "reason": null,
                     *       "hash": "0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2",
                     *       "hashes": [
                     *         "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
                     *         "0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2"
                     *       ],
                     *       "explorer_url": null,
                     *       "block_number": null,
                     *       "cancel_requested_at": "2026-01-01T00:00:10.000Z",
                     *       "run_id": "0b8f3c1e-51d1-4a0c-8a54-7d0e34b1a001",
                     *       "cid": "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o",
                     *       "usage_key_hash": "0xc3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "changed_at": "2026-01-01T00:00:10.000Z"
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        wallet: string;
                        chain_id: number;
                        nonce: number;
                        /** @description Null creates a contract. */
                        to: string | null;
                        /** @description Wei, in decimal digits. */
                        value: string;
                        gas: string;
                        /** @description Wei, in decimal digits. */
                        max_fee_per_gas: string;
                        /** @description Wei, in decimal digits. */
                        max_priority_fee_per_gas: string;
                        /**
                         * @description `queued`: stored, no node has accepted it yet. `broadcast`: a node has it. `mined`: in a block that is not confirmed. `confirmed`: succeeded. `failed`: reverted. `replaced`: another transaction used its nonce, also its own cancellation.
                         * @enum {string}
                         */
                        status: "queued" | "broadcast" | "mined" | "confirmed" | "replaced" | "failed";
                        /** @description Why it failed or was replaced. */
                        reason: string | null;
                        /** @description Hash of the mined form, or of the latest one. */
                        hash: string;
                        /** @description Hashes of all forms that were broadcast. Any of them can be mined, but only one. */
                        hashes: string[];
                        explorer_url: string | null;
                        block_number: number | null;
                        cancel_requested_at: string | null;
                        run_id: string;
                        cid: string;
                        usage_key_hash: string;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        changed_at: string;
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
    get_core_v1_list_approvals: {
        parameters: {
            query?: {
                page_size?: number;
                /** @description Id of an approval: lists older ones. */
                before?: string;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        id: string;
                        /**
                         * @description `approved`: enough approvers have signed, and the run can go on. `used`: a run went on with it. `refused`: by an approver. `expired`: also one that the account ended.
                         * @enum {string}
                         */
                        state: "waiting" | "approved" | "used" | "refused" | "expired";
                        /** @description Text of the action: read it with suspicion. */
                        summary: string;
                        hash: string;
                        /** @description Master hash of the account. */
                        account: string;
                        usage_key_hash: string;
                        /** @description CID of the action that asks. */
                        cid: string;
                        approvers: string[];
                        contract_approvers: string[];
                        /** @description Public keys of passkeys. */
                        passkey_approvers: string[];
                        /** @description Domain of the pages for which the passkeys were made. */
                        passkey_rp_id: string | null;
                        threshold: number;
                        /** @description Last Unix second at which it counts. */
                        expires: number;
                        /** @description The approvers who have signed. */
                        signed_by: string[];
                        refused_by: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** @description The run that asked. */
                        run_id: string;
                        /** @description The run that went on. */
                        continued_by: string | null;
                    }[];
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
    get_core_v1_approval_id: {
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
                        id: string;
                        /**
                         * @description `approved`: enough approvers have signed, and the run can go on. `used`: a run went on with it. `refused`: by an approver. `expired`: also one that the account ended.
                         * @enum {string}
                         */
                        state: "waiting" | "approved" | "used" | "refused" | "expired";
                        /** @description Text of the action: read it with suspicion. */
                        summary: string;
                        hash: string;
                        /** @description Master hash of the account. */
                        account: string;
                        usage_key_hash: string;
                        /** @description CID of the action that asks. */
                        cid: string;
                        approvers: string[];
                        contract_approvers: string[];
                        /** @description Public keys of passkeys. */
                        passkey_approvers: string[];
                        /** @description Domain of the pages for which the passkeys were made. */
                        passkey_rp_id: string | null;
                        threshold: number;
                        /** @description Last Unix second at which it counts. */
                        expires: number;
                        /** @description The approvers who have signed. */
                        signed_by: string[];
                        refused_by: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** @description The run that asked. */
                        run_id: string;
                        /** @description The run that went on. */
                        continued_by: string | null;
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
    post_core_v1_approve: {
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
                 *       "id": "0198f1f0-5b1c-4c58-9d1c-2f6e6d1f4c11",
                 *       "approver": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *       "signature": "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c1b"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    id: string;
                    /** @description The approver who signed: an address, or the public key of a passkey. */
                    approver: string;
                    /** @description Hex: 64 or 65 bytes from a wallet with a key, or up to 4,096 bytes for a deployed contract wallet (ERC-1271) and for an assertion of a passkey as docs/approvals.md encodes it. */
                    signature: string;
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
                     *       "id": "0198f1f0-5b1c-4c58-9d1c-2f6e6d1f4c11",
                     *       "summary": "Send 1 ETH to 0x000000000000000000000000000000000000dEaD",
                     *       "hash": "0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5",
                     *       "account": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1",
                     *       "usage_key_hash": "0x9c0257114eb9399a2985f8e75dad7600c5d89fe3824ffa99ec1c3eb8bf3b0501",
                     *       "cid": "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH",
                     *       "approvers": [
                     *         "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
                     *       ],
                     *       "contract_approvers": [],
                     *       "passkey_approvers": [],
                     *       "passkey_rp_id": null,
                     *       "threshold": 1,
                     *       "expires": 1893456000,
                     *       "created_at": "2026-11-29T12:00:00.000Z",
                     *       "run_id": "2a6c4a58-0f0f-4f5e-8b1e-9a1d3f3b8c11",
                     *       "continued_by": null,
                     *       "state": "approved",
                     *       "signed_by": [
                     *         "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
                     *       ],
                     *       "refused_by": null
                     *     }
                     */
                    "application/json": {
                        id: string;
                        /**
                         * @description `approved`: enough approvers have signed, and the run can go on. `used`: a run went on with it. `refused`: by an approver. `expired`: also one that the account ended.
                         * @enum {string}
                         */
                        state: "waiting" | "approved" | "used" | "refused" | "expired";
                        /** @description Text of the action: read it with suspicion. */
                        summary: string;
                        hash: string;
                        /** @description Master hash of the account. */
                        account: string;
                        usage_key_hash: string;
                        /** @description CID of the action that asks. */
                        cid: string;
                        approvers: string[];
                        contract_approvers: string[];
                        /** @description Public keys of passkeys. */
                        passkey_approvers: string[];
                        /** @description Domain of the pages for which the passkeys were made. */
                        passkey_rp_id: string | null;
                        threshold: number;
                        /** @description Last Unix second at which it counts. */
                        expires: number;
                        /** @description The approvers who have signed. */
                        signed_by: string[];
                        refused_by: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** @description The run that asked. */
                        run_id: string;
                        /** @description The run that went on. */
                        continued_by: string | null;
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
    post_core_v1_refuse_approval: {
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
                 *       "id": "0198f1f0-5b1c-4c58-9d1c-2f6e6d1f4c11",
                 *       "approver": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *       "signature": "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c1b"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    id: string;
                    /** @description The approver who signed: an address, or the public key of a passkey. */
                    approver: string;
                    /** @description Hex: 64 or 65 bytes from a wallet with a key, or up to 4,096 bytes for a deployed contract wallet (ERC-1271) and for an assertion of a passkey as docs/approvals.md encodes it. */
                    signature: string;
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
                     *       "id": "0198f1f0-5b1c-4c58-9d1c-2f6e6d1f4c11",
                     *       "summary": "Send 1 ETH to 0x000000000000000000000000000000000000dEaD",
                     *       "hash": "0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5",
                     *       "account": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1",
                     *       "usage_key_hash": "0x9c0257114eb9399a2985f8e75dad7600c5d89fe3824ffa99ec1c3eb8bf3b0501",
                     *       "cid": "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH",
                     *       "approvers": [
                     *         "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
                     *       ],
                     *       "contract_approvers": [],
                     *       "passkey_approvers": [],
                     *       "passkey_rp_id": null,
                     *       "threshold": 1,
                     *       "expires": 1893456000,
                     *       "created_at": "2026-11-29T12:00:00.000Z",
                     *       "run_id": "2a6c4a58-0f0f-4f5e-8b1e-9a1d3f3b8c11",
                     *       "continued_by": null,
                     *       "state": "refused",
                     *       "signed_by": [],
                     *       "refused_by": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
                     *     }
                     */
                    "application/json": {
                        id: string;
                        /**
                         * @description `approved`: enough approvers have signed, and the run can go on. `used`: a run went on with it. `refused`: by an approver. `expired`: also one that the account ended.
                         * @enum {string}
                         */
                        state: "waiting" | "approved" | "used" | "refused" | "expired";
                        /** @description Text of the action: read it with suspicion. */
                        summary: string;
                        hash: string;
                        /** @description Master hash of the account. */
                        account: string;
                        usage_key_hash: string;
                        /** @description CID of the action that asks. */
                        cid: string;
                        approvers: string[];
                        contract_approvers: string[];
                        /** @description Public keys of passkeys. */
                        passkey_approvers: string[];
                        /** @description Domain of the pages for which the passkeys were made. */
                        passkey_rp_id: string | null;
                        threshold: number;
                        /** @description Last Unix second at which it counts. */
                        expires: number;
                        /** @description The approvers who have signed. */
                        signed_by: string[];
                        refused_by: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** @description The run that asked. */
                        run_id: string;
                        /** @description The run that went on. */
                        continued_by: string | null;
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
    post_core_v1_cancel_approval: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "id": "0198f1f0-5b1c-4c58-9d1c-2f6e6d1f4c11"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    id: string;
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
                     *       "id": "0198f1f0-5b1c-4c58-9d1c-2f6e6d1f4c11",
                     *       "summary": "Send 1 ETH to 0x000000000000000000000000000000000000dEaD",
                     *       "hash": "0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5",
                     *       "account": "0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1",
                     *       "usage_key_hash": "0x9c0257114eb9399a2985f8e75dad7600c5d89fe3824ffa99ec1c3eb8bf3b0501",
                     *       "cid": "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH",
                     *       "approvers": [
                     *         "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
                     *       ],
                     *       "contract_approvers": [],
                     *       "passkey_approvers": [],
                     *       "passkey_rp_id": null,
                     *       "threshold": 1,
                     *       "expires": 1893456000,
                     *       "created_at": "2026-11-29T12:00:00.000Z",
                     *       "run_id": "2a6c4a58-0f0f-4f5e-8b1e-9a1d3f3b8c11",
                     *       "continued_by": null,
                     *       "state": "expired",
                     *       "signed_by": [],
                     *       "refused_by": null
                     *     }
                     */
                    "application/json": {
                        id: string;
                        /**
                         * @description `approved`: enough approvers have signed, and the run can go on. `used`: a run went on with it. `refused`: by an approver. `expired`: also one that the account ended.
                         * @enum {string}
                         */
                        state: "waiting" | "approved" | "used" | "refused" | "expired";
                        /** @description Text of the action: read it with suspicion. */
                        summary: string;
                        hash: string;
                        /** @description Master hash of the account. */
                        account: string;
                        usage_key_hash: string;
                        /** @description CID of the action that asks. */
                        cid: string;
                        approvers: string[];
                        contract_approvers: string[];
                        /** @description Public keys of passkeys. */
                        passkey_approvers: string[];
                        /** @description Domain of the pages for which the passkeys were made. */
                        passkey_rp_id: string | null;
                        threshold: number;
                        /** @description Last Unix second at which it counts. */
                        expires: number;
                        /** @description The approvers who have signed. */
                        signed_by: string[];
                        refused_by: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** @description The run that asked. */
                        run_id: string;
                        /** @description The run that went on. */
                        continued_by: string | null;
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
    get_core_v1_explain_execution: {
        parameters: {
            query?: {
                /** @description IPFS content identifier, version 0 or 1. */
                cid?: string;
                hashed_cid?: string;
                pkp_id?: string;
                /** @description Hash of a usage key of the account, as list_api_keys returns it. With an account key only. */
                usage_api_key?: string;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        action: {
                            permitted: boolean;
                            /**
                             * @description The rule of the contract that decides.
                             * @enum {string}
                             */
                            rule: "key_unknown" | "not_usage_key" | "key_expired" | "wildcard" | "group" | "no_group_permits_action" | "wallet_unknown" | "no_group_permits_wallet";
                            /** @description Id of the lowest group that permits the action; "0" when no group does. */
                            group_id: string;
                            explanation: string;
                        };
                        /** @description Present when `pkp_id` was sent. */
                        wallet?: {
                            permitted: boolean;
                            /**
                             * @description The rule of the contract that decides.
                             * @enum {string}
                             */
                            rule: "key_unknown" | "not_usage_key" | "key_expired" | "wildcard" | "group" | "no_group_permits_action" | "wallet_unknown" | "no_group_permits_wallet";
                            /** @description Id of the lowest group that permits the wallet; "0" when no group does. */
                            group_id: string;
                            explanation: string;
                        };
                        /** @description Whether the relayer stores the code. Otherwise its gateway must serve it. Present when `cid` was sent. */
                        code_stored?: boolean;
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
    get_core_v1_get_svc_action_client_config: {
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
                        timeout_ms: number;
                        memory_limit_mb: number;
                        max_code_length: number;
                        max_response_length: number;
                        max_console_log_length: number;
                        max_fetch_count: number;
                        max_get_keys_count: number;
                        max_transaction_count: number;
                        max_js_params_length: number;
                        receipt_signer: string;
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
        };
    };
    post_core_v1_get_svc_action_ipfs_id: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example hello world */
                "application/json": string;
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
                    /** @example Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD */
                    "application/json": string;
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
    get_core_v1_billing_processor_config: {
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
                        publishable_key: string;
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
        };
    };
    get_core_v1_billing_balance: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        /** @description Whole cents. NEGATIVE while the account has credit, as in a clearing account; positive when it owes. */
                        balance_cents: number;
                        /**
                         * @example $5.00 credit
                         * @example No credits
                         */
                        balance_display: string;
                        /** @description Available micro-credits; negative when the account owes. */
                        credit_micros: number;
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
    get_core_v1_billing_ledger: {
        parameters: {
            query?: {
                page_number?: number;
                page_size?: number;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    /** @description Number of entries in the whole ledger of the account, archived ones included. */
                    "X-Total-Count"?: string;
                    /** @description Number of the last archived entry; absent when there is none. Reserves, captures and releases up to it are in archives of the operator, and pages leave them out: a page can be shorter than its size, or empty. */
                    "X-Archived-Entries"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description 1, 2, 3, … in the order of time. */
                        number: number;
                        /**
                         * @description `credit`: paid in. `reserve`: set aside for a write or a second of a run, which is then charged (`capture`) or returned (`release`). `reverse`: taken back, for example by a refund.
                         * @enum {string}
                         */
                        kind: "credit" | "reserve" | "capture" | "release" | "reverse";
                        /** @description Micro-credits, never negative. */
                        amount_micros: number;
                        /** @description Available micro-credits after this entry. */
                        available_micros_after: number;
                        reason: string;
                        /** @description Number of the reserve that this entry ends. */
                        reserve: number | null;
                        /** @description Hash of the key that spent it. */
                        api_key_hash: string | null;
                        /** Format: date-time */
                        created_at: string;
                    }[];
                    "text/csv": string;
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
    post_core_v1_billing_create_payment_intent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "amount_cents": 500
                 *     }
                 */
                "application/json": {
                    amount_cents: number;
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
                     *       "client_secret": "pi_3PqXyZ2eZvKYlo2C1a2B3c4D_secret_5e6F7g8H",
                     *       "payment_intent_id": "pi_3PqXyZ2eZvKYlo2C1a2B3c4D"
                     *     }
                     */
                    "application/json": {
                        client_secret: string;
                        payment_intent_id: string;
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
    post_core_v1_billing_confirm_payment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "payment_intent_id": "pi_3PqXyZ2eZvKYlo2C1a2B3c4D"
                 *     }
                 */
                "application/json": {
                    payment_intent_id: string;
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
                        /** @constant */
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
    get_core_v1_billing_auto_top_up: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                     *       "auto_top_up": {
                     *         "threshold_cents": 1000,
                     *         "amount_cents": 2000,
                     *         "monthly_limit_cents": 10000,
                     *         "charged_this_month_cents": 4000,
                     *         "card": {
                     *           "brand": "visa",
                     *           "last4": "4242",
                     *           "expiry_month": 12,
                     *           "expiry_year": 2040
                     *         },
                     *         "paused": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        auto_top_up: {
                            threshold_cents: number;
                            amount_cents: number;
                            monthly_limit_cents: number;
                            /** @description Charges without a known outcome included. */
                            charged_this_month_cents: number;
                            card: {
                                brand: string;
                                last4: string;
                                expiry_month: number;
                                expiry_year: number;
                            };
                            /** @description Why no charge is made until billing/set_auto_top_up is called. Null while it is active. */
                            paused: {
                                /**
                                 * @description `authentication_required`: billing/top_up_payment returns the payment to complete. `card_declined`: `decline_code` says why. `payment_taken_back`: a payment of the account was refunded or disputed.
                                 * @enum {string}
                                 */
                                reason: "authentication_required" | "card_declined" | "payment_taken_back";
                                decline_code: string | null;
                                /** Format: date-time */
                                at: string;
                            } | null;
                        } | null;
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
    post_core_v1_billing_create_setup_intent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
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
                     *       "client_secret": "seti_1PqXyZ2eZvKYlo2C1a2B3c4D_secret_5e6F7g8H",
                     *       "setup_intent_id": "seti_1PqXyZ2eZvKYlo2C1a2B3c4D"
                     *     }
                     */
                    "application/json": {
                        client_secret: string;
                        setup_intent_id: string;
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
    post_core_v1_billing_set_auto_top_up: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "threshold_cents": 1000,
                 *       "amount_cents": 2000,
                 *       "monthly_limit_cents": 10000,
                 *       "setup_intent_id": "seti_1PqXyZ2eZvKYlo2C1a2B3c4D"
                 *     }
                 */
                "application/json": {
                    /** @description The card is charged while the credit is below. Reserved credit counts as not spent. */
                    threshold_cents: number;
                    /** @description Cents of a charge. */
                    amount_cents: number;
                    /** @description Cents that are charged in a calendar month (UTC) at most. */
                    monthly_limit_cents: number;
                    setup_intent_id?: string;
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
                     *       "auto_top_up": {
                     *         "threshold_cents": 1000,
                     *         "amount_cents": 2000,
                     *         "monthly_limit_cents": 10000,
                     *         "charged_this_month_cents": 4000,
                     *         "card": {
                     *           "brand": "visa",
                     *           "last4": "4242",
                     *           "expiry_month": 12,
                     *           "expiry_year": 2040
                     *         },
                     *         "paused": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        auto_top_up: {
                            threshold_cents: number;
                            amount_cents: number;
                            monthly_limit_cents: number;
                            /** @description Charges without a known outcome included. */
                            charged_this_month_cents: number;
                            card: {
                                brand: string;
                                last4: string;
                                expiry_month: number;
                                expiry_year: number;
                            };
                            /** @description Why no charge is made until billing/set_auto_top_up is called. Null while it is active. */
                            paused: {
                                /**
                                 * @description `authentication_required`: billing/top_up_payment returns the payment to complete. `card_declined`: `decline_code` says why. `payment_taken_back`: a payment of the account was refunded or disputed.
                                 * @enum {string}
                                 */
                                reason: "authentication_required" | "card_declined" | "payment_taken_back";
                                decline_code: string | null;
                                /** Format: date-time */
                                at: string;
                            } | null;
                        };
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
    post_core_v1_billing_remove_auto_top_up: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
                /** @description A retry with the same key and the same request returns the first reply; another request with the same key returns 409. Stored for at least 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
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
                     *       "success": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
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
    get_core_v1_billing_top_up_payment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        client_secret: string;
                        payment_intent_id: string;
                        payment_method_id: string;
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
    get_core_v1_billing_receipt: {
        parameters: {
            query: {
                payment_intent_id: string;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        payment_intent_id: string;
                        /** @description Master hash of the account. */
                        account: string;
                        /** @description US cents. */
                        amount_cents: number;
                        /**
                         * Format: date-time
                         * @description When the payment was credited.
                         */
                        paid_at: string;
                        /** @description The card processor's receipt, which shows the last digits of the card. Null for a payment of a former owner, and of versions that did not store who had paid. */
                        receipt_url: string | null;
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
    post_core_v1_billing_webhook: {
        parameters: {
            query?: never;
            header: {
                "stripe-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {"id":"evt_1","object":"event","type":"payment_intent.succeeded","data":{"object":{"id":"pi_1"}}} */
                "*/*": string;
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
                     *       "received": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        received: true;
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
    post_core_v1_add_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "url": "https://example.com/latchkey",
                 *       "types": [
                 *         "run.finished",
                 *         "credit.low"
                 *       ],
                 *       "credit_low_cents": 500
                 *     }
                 */
                "application/json": {
                    /**
                     * @description An https URL with a public address. Redirects are not followed.
                     * @example https://example.com/latchkey
                     */
                    url: string;
                    /** @description `run.finished`: A run has ended: `run_id`, `cid`, `usage_key_hash`, `status`, `error_name`, `duration_ms`, `charged_micros`. `approval.wanted`: A run waits for an approval: `approval_id`, `run_id`, `cid`, `usage_key_hash`, `summary`, `hash`, `approvers`, `contract_approvers`, `passkey_approvers`, `passkey_rp_id`, `threshold`, `expires`. `credit.low`: The credit fell below `credit_low_cents` of the webhook, once per crossing: `credit_micros`, `credit_low_micros`. `auto_top_up.paused`: An automatic top-up made no payment, and makes none until the owner acts: `reason` (`authentication_required`, `card_declined`, `payment_taken_back`), `decline_code`, `amount_cents`. `usage_key.removed`: A usage key was removed: `usage_key_hash`, null when all keys were removed together; `transaction_hash`, `block_number`. `account.changed`: A transaction changed the account on the chain: `transaction_hash`, `block_number`, `block_hash`, `changes`. `transaction.broadcast`: A node has a transaction of a wallet, or a reorg took it out of its block: `id`, `wallet`, `chain_id`, `nonce`, `hash`, `block_number`, `reason`, `run_id`, `cid`, `usage_key_hash`. `transaction.mined`: It is in a block that is not confirmed. The same data. `transaction.confirmed`: It succeeded, and its block is confirmed. The same data. `transaction.failed`: It was mined and reverted, and its block is confirmed: `reason` says why. The same data. `transaction.replaced`: Another transaction used its nonce: `reason` is `cancelled` for its own cancellation. The same data. */
                    types: ("run.finished" | "approval.wanted" | "credit.low" | "auto_top_up.paused" | "usage_key.removed" | "account.changed" | "transaction.broadcast" | "transaction.mined" | "transaction.confirmed" | "transaction.failed" | "transaction.replaced")[];
                    /**
                     * @description Threshold of `credit.low` in cents. Null without this type.
                     * @default null
                     */
                    credit_low_cents?: number | null;
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
                     *       "id": "f47ac10b-58cc-4372-a567-0e02b2c3d479",
                     *       "url": "https://example.com/latchkey",
                     *       "types": [
                     *         "run.finished",
                     *         "credit.low"
                     *       ],
                     *       "credit_low_cents": 500,
                     *       "enabled": true,
                     *       "disabled_reason": null,
                     *       "failing_since": null,
                     *       "created_at": "2026-11-01T09:00:00.000Z",
                     *       "updated_at": "2026-11-01T09:00:00.000Z",
                     *       "secret": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
                     *     }
                     */
                    "application/json": {
                        id: string;
                        url: string;
                        types: ("run.finished" | "approval.wanted" | "credit.low" | "auto_top_up.paused" | "usage_key.removed" | "account.changed" | "transaction.broadcast" | "transaction.mined" | "transaction.confirmed" | "transaction.failed" | "transaction.replaced")[];
                        credit_low_cents: number | null;
                        enabled: boolean;
                        /** @description Why the service disabled it. */
                        disabled_reason: string | null;
                        /** @description First failed attempt since the last delivery. */
                        failing_since: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        updated_at: string;
                        /** @description Secret of the signatures (Standard Webhooks): `whsec_` and base64. It is not returned again. */
                        secret: string;
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
    get_core_v1_list_webhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                     * @example [
                     *       {
                     *         "id": "f47ac10b-58cc-4372-a567-0e02b2c3d479",
                     *         "url": "https://example.com/latchkey",
                     *         "types": [
                     *           "run.finished",
                     *           "credit.low"
                     *         ],
                     *         "credit_low_cents": 500,
                     *         "enabled": true,
                     *         "disabled_reason": null,
                     *         "failing_since": null,
                     *         "created_at": "2026-11-01T09:00:00.000Z",
                     *         "updated_at": "2026-11-01T09:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": {
                        id: string;
                        url: string;
                        types: ("run.finished" | "approval.wanted" | "credit.low" | "auto_top_up.paused" | "usage_key.removed" | "account.changed" | "transaction.broadcast" | "transaction.mined" | "transaction.confirmed" | "transaction.failed" | "transaction.replaced")[];
                        credit_low_cents: number | null;
                        enabled: boolean;
                        /** @description Why the service disabled it. */
                        disabled_reason: string | null;
                        /** @description First failed attempt since the last delivery. */
                        failing_since: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        updated_at: string;
                    }[];
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
    post_core_v1_update_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "webhook_id": "f47ac10b-58cc-4372-a567-0e02b2c3d479",
                 *       "enabled": true
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    webhook_id: string;
                    /**
                     * @description An https URL with a public address. Redirects are not followed.
                     * @example https://example.com/latchkey
                     */
                    url?: string;
                    /** @description `run.finished`: A run has ended: `run_id`, `cid`, `usage_key_hash`, `status`, `error_name`, `duration_ms`, `charged_micros`. `approval.wanted`: A run waits for an approval: `approval_id`, `run_id`, `cid`, `usage_key_hash`, `summary`, `hash`, `approvers`, `contract_approvers`, `passkey_approvers`, `passkey_rp_id`, `threshold`, `expires`. `credit.low`: The credit fell below `credit_low_cents` of the webhook, once per crossing: `credit_micros`, `credit_low_micros`. `auto_top_up.paused`: An automatic top-up made no payment, and makes none until the owner acts: `reason` (`authentication_required`, `card_declined`, `payment_taken_back`), `decline_code`, `amount_cents`. `usage_key.removed`: A usage key was removed: `usage_key_hash`, null when all keys were removed together; `transaction_hash`, `block_number`. `account.changed`: A transaction changed the account on the chain: `transaction_hash`, `block_number`, `block_hash`, `changes`. `transaction.broadcast`: A node has a transaction of a wallet, or a reorg took it out of its block: `id`, `wallet`, `chain_id`, `nonce`, `hash`, `block_number`, `reason`, `run_id`, `cid`, `usage_key_hash`. `transaction.mined`: It is in a block that is not confirmed. The same data. `transaction.confirmed`: It succeeded, and its block is confirmed. The same data. `transaction.failed`: It was mined and reverted, and its block is confirmed: `reason` says why. The same data. `transaction.replaced`: Another transaction used its nonce: `reason` is `cancelled` for its own cancellation. The same data. */
                    types?: ("run.finished" | "approval.wanted" | "credit.low" | "auto_top_up.paused" | "usage_key.removed" | "account.changed" | "transaction.broadcast" | "transaction.mined" | "transaction.confirmed" | "transaction.failed" | "transaction.replaced")[];
                    /** @description Threshold of `credit.low` in cents. Null without this type. */
                    credit_low_cents?: number | null;
                    enabled?: boolean;
                    /**
                     * @description Replaces the secret, which the reply has.
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
                     *       "id": "f47ac10b-58cc-4372-a567-0e02b2c3d479",
                     *       "url": "https://example.com/latchkey",
                     *       "types": [
                     *         "run.finished",
                     *         "credit.low"
                     *       ],
                     *       "credit_low_cents": 500,
                     *       "enabled": true,
                     *       "disabled_reason": null,
                     *       "failing_since": null,
                     *       "created_at": "2026-11-01T09:00:00.000Z",
                     *       "updated_at": "2026-11-01T09:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        id: string;
                        url: string;
                        types: ("run.finished" | "approval.wanted" | "credit.low" | "auto_top_up.paused" | "usage_key.removed" | "account.changed" | "transaction.broadcast" | "transaction.mined" | "transaction.confirmed" | "transaction.failed" | "transaction.replaced")[];
                        credit_low_cents: number | null;
                        enabled: boolean;
                        /** @description Why the service disabled it. */
                        disabled_reason: string | null;
                        /** @description First failed attempt since the last delivery. */
                        failing_since: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        updated_at: string;
                        /** @description Secret of the signatures (Standard Webhooks): `whsec_` and base64. It is not returned again. */
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
    post_core_v1_remove_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "webhook_id": "f47ac10b-58cc-4372-a567-0e02b2c3d479"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    webhook_id: string;
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
                        /** @constant */
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
    post_core_v1_test_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "webhook_id": "f47ac10b-58cc-4372-a567-0e02b2c3d479"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    webhook_id: string;
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
                     *       "delivered": false,
                     *       "response_status": 500,
                     *       "error": "the reply has the status 500"
                     *     }
                     */
                    "application/json": {
                        delivered: boolean;
                        response_status: number | null;
                        /** @description Why the event was not delivered. */
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
    get_core_v1_list_webhook_deliveries: {
        parameters: {
            query: {
                webhook_id: string;
                status?: "waiting" | "failed";
                page_size?: number;
                /** @description Id of a delivery: lists those that were stored before it. */
                before?: string;
            };
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
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
    post_core_v1_replay_webhook_deliveries: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                 *       "webhook_id": "f47ac10b-58cc-4372-a567-0e02b2c3d479",
                 *       "failed_since": "2026-11-01T09:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    webhook_id: string;
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
    get_core_v1_get_node_chain_config: {
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
                        chain_name: string;
                        chain_id: number;
                        /** @constant */
                        is_evm: true;
                        testnet: boolean;
                        token: string;
                        contract_address: string;
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
        };
    };
    get_core_v1_get_api_payers: {
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
                    "application/json": string[];
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
    get_core_v1_get_admin_api_payer: {
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
                    "application/json": string;
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
    get_core_v1_version: {
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
                        name: string;
                        version: string;
                        commit: string;
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
        };
    };
    get_operator_v1_status: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reply includes at least this block. */
                "X-Min-Block"?: number;
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
                    "application/json": {
                        /** Format: date-time */
                        at: string;
                        version: string;
                        commit: string;
                        relayers: number | null;
                        parts: {
                            ok: boolean;
                            /** @constant */
                            degraded?: true;
                            detail?: string;
                            /** Format: date-time */
                            since?: string;
                            name: string;
                        }[];
                        contract: {
                            address: string;
                            chain_id: number;
                            configuration: {
                                key: string;
                                value: string;
                            }[] | null;
                        };
                        payers: {
                            address: string;
                            is_configured: boolean;
                            is_api_payer: boolean;
                            signer_fails: boolean;
                            balance_wei: string | null;
                            chain_nonce: number | null;
                            next_nonce: number | null;
                            pending: number | null;
                            max_pending: number;
                            oldest_pending_sec: number | null;
                        }[];
                        chains: {
                            chain_id: number;
                            name: string;
                            head: number;
                            nodes: {
                                node: number;
                                host: string;
                                is_used: boolean;
                                works: boolean;
                            }[];
                            pending: number | null;
                            oldest_pending_sec: number | null;
                        }[];
                        queues: {
                            writes_waiting: number;
                            runs: number;
                            max_runs: number;
                            webhook_deliveries: {
                                waiting: number;
                                overdue_sec: number;
                            } | null;
                            indexer: {
                                version: string | null;
                                block: number | null;
                                lag_blocks: number | null;
                            } | null;
                        };
                        runners: {
                            name: string;
                            is_connected: boolean;
                            version: string | null;
                            fault: string | null;
                            idle: number;
                            starting: number;
                            running: number;
                            queued: number;
                        }[];
                        key_group: {
                            epoch: number;
                            threshold: number;
                            nodes: number;
                            approved: {
                                threshold: number;
                                identities: string[];
                            } | null;
                        } | null;
                        key_nodes: {
                            node: number;
                            host: string;
                            version: string | null;
                            public_key: string | null;
                            identifier: number | null;
                            epoch: number | null;
                            fault: string | null;
                            waits_until: number | null;
                            dealing: {
                                round: string | null;
                                missing: number[];
                                faults: number;
                            } | null;
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
        };
    };
}
